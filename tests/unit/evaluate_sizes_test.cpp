// Judging at sizes that no case has, and replaying captures bit for bit.
#include "evaluate_fixture.h"
#include "mep/sizing.h"

#include <gmock/gmock.h>

namespace kopt::testing {
namespace {

using ::testing::HasSubstr;

// Right where n is a multiple of eight, as in the case that is timed; nothing guards it.
const std::string by_eights = R"(double kopt_variant(int n, double a, const double *x, double *y, long *positive) {
  double largest = 0;
  for (int i = 0; i < n / 8 * 8; ++i) {
    double sum = 0;
    for (int k = 0; k < 8; ++k) sum += x[i + k] / (1 + a * a);
    y[i] = sum;
    if (sum > largest) largest = sum;
    if (sum > 0) ++*positive;
  }
  return largest;
}
)";

class Sizes : public ::testing::Test {
protected:
  Sizes() {
    const Polynomial n = Polynomial::symbol("n");
    model.leaves[2].extent = n + Polynomial(7);
    model.leaves[3].extent = n;
    model.leaves[4].extent = Polynomial(1);
  }
  std::vector<Case> cases(int n) {
    std::vector<Case> list{smooth_case("timed", n)};
    for (Case &kase : sized_cases(model, list[0], 1).cases) list.push_back(std::move(kase));
    return list;
  }
  std::unique_ptr<Judge> judge(std::vector<Case> list) {
    auto made = Judge::create(model, std::move(list), workshop.baseline(model), workshop.disk(), clock, test_settings());
    EXPECT_TRUE(made) << made.error().message();
    return made ? std::move(*made) : nullptr;
  }

  Workshop workshop;
  RealClock clock;
  Model model = smooth_model();
};

TEST_F(Sizes, RefuseAVariantThatIsRightOnlyAtTheSizeItWasMadeFor) {
  const Candidate wrong = workshop.candidate(model, "by_eights", by_eights);
  const Candidate guarded = workshop.candidate(model, "guarded", by_eights, "require n % 8 == 0\ncall kopt_variant\n");
  const auto narrow = judge({smooth_case("timed", 1024)});
  EXPECT_NE(narrow->judge(wrong, Thoroughness::Full).kind, VerdictKind::Incorrect) << "at the timed size alone it is right";
  const auto wide = judge(cases(1024));
  for (const Thoroughness thoroughness : {Thoroughness::Quick, Thoroughness::Full}) {
    const Verdict verdict = wide->judge(wrong, thoroughness);
    EXPECT_EQ(verdict.kind, VerdictKind::Incorrect) << verdict.reason;
    EXPECT_THAT(verdict.evidence, HasSubstr("sized"));
    EXPECT_NE(wide->judge(guarded, thoroughness).kind, VerdictKind::Incorrect);
  }
}

TEST_F(Sizes, AreNotTimed) {
  const auto all = judge(cases(1024));
  const Verdict verdict = all->judge(workshop.candidate(model, "guarded", by_eights, "require n % 8 == 0\ncall kopt_variant\n"),
                                     Thoroughness::Quick);
  ASSERT_EQ(verdict.cases.size(), 1U);
  EXPECT_EQ(verdict.cases[0].name, "timed");
  EXPECT_EQ(verdict.cases[0].weight, 1);
}

TEST_F(Sizes, UnderWhichTheOriginalFaultsAreDroppedAndCounted) {
  model.leaves[2].extent = Polynomial::symbol("n"); // too small: the kernel reads seven more
  const auto list = cases(1024);
  const auto careless = judge(list);
  ASSERT_TRUE(careless);
  std::size_t dropped = 0;
  for (std::size_t k = 1; k < list.size(); ++k) dropped += !careless->facts(static_cast<int>(k)).dropped.empty();
  EXPECT_EQ(dropped, list.size() - 1);
  ASSERT_FALSE(careless->notes().empty());
  EXPECT_THAT(careless->notes().back(), HasSubstr(fmt::format("{} dropped, the original faults or gives NaN", dropped)));
  EXPECT_NE(careless->judge(workshop.candidate(model, "by_eights", by_eights), Thoroughness::Quick).kind,
            VerdictKind::Incorrect);
}

TEST_F(Sizes, UnderWhichTheOriginalGivesNanAreDropped) {
  auto list = cases(1024);
  for (std::size_t k = 1; k < list.size(); ++k) std::fill_n(list[k].buffers[0].before.begin(), 8, std::uint8_t{0xff});
  const auto all = judge(list);
  ASSERT_TRUE(all);
  for (std::size_t k = 1; k < list.size(); ++k)
    EXPECT_THAT(all->facts(static_cast<int>(k)).dropped, HasSubstr("NaN")) << list[k].name;
}

TEST_F(Sizes, OfACaptureReplayBitForBitOrItIsSaid) {
  Case capture = smooth_case("call-1", 8);
  std::vector<double> x(16), y(8);
  std::memcpy(x.data(), capture.buffers[0].before.data(), capture.buffers[0].before.size());
  for (std::size_t i = 0; i < 8; ++i)
    for (std::size_t k = 0; k < 8; ++k) y[i] += x[i + k] / 1.25;
  capture.buffers[1].after = bytes_of(y);
  EXPECT_EQ(judge({capture})->facts(0).not_replayed, "");
  y[3] = 2.5;
  capture.buffers[1].after = bytes_of(y);
  const auto different = judge({capture});
  EXPECT_THAT(different->facts(0).not_replayed, HasSubstr("y[3]: the application computed 2.5, the replay "));
  ASSERT_FALSE(different->notes().empty());
  EXPECT_THAT(different->notes()[0], HasSubstr("case call-1 is not replayed bit for bit: y[3]"));
}

} // namespace
} // namespace kopt::testing
