// Probes at work: an application is instrumented, compiled as the package does it, and run; its recordings must say what it
// computed.
#include "capture_program.h"
#include "mep/probe.h"

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>

namespace kopt {
namespace {

using namespace fixture;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string application = R"cpp(#include <cstdlib>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>
namespace demo {
struct Grid { int nx; double h; };
struct View { double *data; int n; };
int calls = 0;
double *shared = nullptr;
static double table[4] = {1, 2, 3, 4};
/* not this one: */ void middle(const Grid &g, const double *u, double *out);
void middle(const Grid &g, const double *u, double *out) {
  for (int i = 0; i < g.nx; ++i) out[i] = g.h * u[i];
}
double total(View v) {
  double sum = 0;
  for (int i = 0; i < v.n; ++i) sum += v.data[i];
  return sum;
}
static void blend(int n, const double *weights, float *values) { for (int i = 0; i < n; ++i) values[i] *= weights[i]; }
namespace {
void gather(int n, double &sum) {
  ++calls;
  for (int i = 0; i < n; ++i) sum += shared[i];
}
}
int linger(int milliseconds, int *out) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  return *out = milliseconds;
}
int &pick(int n, int *from) {
  if (n < 0) throw n;
  return from[n];
}
}
using namespace demo;
static void use_middle(int nx) {
  std::vector<double> all(100);
  for (int i = 0; i < 100; ++i) all[i] = i;
  middle(Grid{nx, 0.5}, all.data() + 10, all.data() + 50);
}
int main(int count, char **words) {
  const char *mode = count > 1 ? words[1] : "";
  if (!std::strcmp(mode, "middle")) use_middle(4);
  if (!std::strcmp(mode, "one past")) {
    std::vector<double> from(3), to(3);
    middle(Grid{0, 1}, from.data() + 3, to.data());
  }
  if (!std::strcmp(mode, "counted from one")) {
    std::vector<double> from{1, 2, 3}, to(4);
    middle(Grid{3, 1}, from.data() - 1, to.data());
  }
  if (!std::strcmp(mode, "many")) for (int i = 1; i <= 20; ++i) use_middle(4);
  if (!std::strcmp(mode, "groups")) {
    int out = 0;
    for (int round = 0; round < 4; ++round)
      for (int milliseconds : {0, 1, 2, 0, 60, 0, 3}) linger(milliseconds, &out);
  }
  if (!std::strcmp(mode, "crash")) { for (int i = 1; i <= 5; ++i) use_middle(4); std::abort(); }
  if (!std::strcmp(mode, "total")) {
    double *data = static_cast<double *>(std::malloc(24));
    data[0] = 1; data[1] = 2; data[2] = 3.5;
    const double sum = total(View{data, 3});
    std::free(data);
    return sum == 6.5 ? 0 : 1;
  }
  if (!std::strcmp(mode, "blend")) {
    float values[5] = {1, 2, 3, 4, 5};
    blend(2, table + 1, values + 1);
    return values[2] == 9 ? 0 : 1;
  }
  if (!std::strcmp(mode, "gather")) {
    std::vector<double> own{1, 2, 3};
    shared = own.data();
    double sum = 10;
    gather(3, sum);
    return sum == 16 && calls == 1 ? 0 : 1;
  }
  if (!std::strcmp(mode, "pick")) {
    std::vector<int> own{4, 5, 6};
    try { pick(-1, own.data()); } catch (int) {}
    pick(2, own.data()) = 60;
    return own[2] == 60 ? 0 : 1;
  }
  if (!std::strcmp(mode, "freed")) {
    double *data = static_cast<double *>(std::malloc(24));
    std::free(data);
    asm volatile("" : "+r"(data));
    total(View{data, 0});
  }
  if (!std::strcmp(mode, "threads")) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([] { for (int k = 0; k < 100; ++k) use_middle(4); });
    for (auto &thread : threads) thread.join();
  }
  return 0;
}
)cpp";

constexpr const char *source_name = "/src/demo.cpp";

Model model_of(const std::string &name, const std::string &anchor, const std::string &result) {
  Model model;
  model.name = name;
  model.slug = "demo." + name;
  model.return_type = result;
  model.file = source_name;
  const auto at = application.find(anchor);
  model.anchor = {source_name, static_cast<long>(at), static_cast<long>(anchor.size()), 1, "", anchor};
  return model;
}

Model middle_model() {
  auto model = model_of("middle", "void middle(const Grid &g, const double *u, double *out) {", "void");
  model.parameters = {{"g", "const demo::Grid &", "reference", "demo::Grid", 16, 8, {0, 1}},
                      {"u", "const double *", "value", "const double *", 8, 8, {2}},
                      {"out", "double *", "value", "double *", 8, 8, {3}}};
  model.leaves = {scalar_leaf("g.nx", 0, integer_element()), scalar_leaf("g.h", 0, float_element(), 8),
                  pointer_leaf("u", 1, "const double *", float_element(), "read", symbol("g.nx")),
                  pointer_leaf("out", 2, "double *", float_element(), "write", std::nullopt)};
  return model;
}

Model total_model() {
  auto model = model_of("total", "double total(View v) {", "double");
  model.parameters = {{"v", "demo::View", "value", "demo::View", 16, 8, {0, 1}}};
  model.leaves = {pointer_leaf("v.data", 0, "double *", float_element(), "read", std::nullopt),
                  scalar_leaf("v.n", 0, integer_element(), 8), result_leaf(float_element())};
  return model;
}

Model blend_model() {
  auto model = model_of("blend", "static void blend(int n, const double *weights, float *values) {", "void");
  model.parameters = {{"n", "int", "value", "int", 4, 4, {0}},
                      {"weights", "const double *", "value", "const double *", 8, 8, {1}},
                      {"values", "float *", "value", "float *", 8, 8, {2}}};
  model.leaves = {scalar_leaf("n", 0, integer_element()),
                  pointer_leaf("weights", 1, "const double *", float_element(), "read", symbol("n")),
                  pointer_leaf("values", 2, "float *", float_element("float", 4), "readwrite", symbol("n"))};
  return model;
}

Model gather_model() {
  auto model = model_of("gather", "void gather(int n, double &sum) {", "void");
  model.parameters = {{"n", "int", "value", "int", 4, 4, {0}}, {"sum", "double &", "reference", "double", 8, 8, {1}}};
  auto shared = global_leaf("shared", "demo::shared", float_element(), "read");
  shared.kind = "pointer";
  model.leaves = {scalar_leaf("n", 0, integer_element()),
                  pointer_leaf("sum", 1, "double *", float_element(), "readwrite", Polynomial(1)), shared,
                  global_leaf("calls", "demo::calls", integer_element(), "readwrite")};
  return model;
}

Model linger_model() {
  auto model = model_of("linger", "int linger(int milliseconds, int *out) {", "int");
  model.parameters = {{"milliseconds", "int", "value", "int", 4, 4, {0}}, {"out", "int *", "value", "int *", 8, 8, {1}}};
  model.leaves = {scalar_leaf("milliseconds", 0, integer_element()),
                  pointer_leaf("out", 1, "int *", integer_element(), "write", Polynomial(1)), result_leaf(integer_element())};
  return model;
}

Model pick_model() {
  auto model = model_of("pick", "int &pick(int n, int *from) {", "int &");
  model.parameters = {{"n", "int", "value", "int", 4, 4, {0}}, {"from", "int *", "value", "int *", 8, 8, {1}}};
  model.leaves = {scalar_leaf("n", 0, integer_element()),
                  pointer_leaf("from", 1, "int *", integer_element(), "readwrite", std::nullopt)};
  return model;
}

class Probe : public testing::Test {
protected:
  static void SetUpTestSuite() {
    program = std::make_unique<InstrumentedProgram>();
    const auto source =
        instrument(RealDisk(), application, source_name,
                   {middle_model(), total_model(), blend_model(), gather_model(), pick_model(), linger_model()});
    for (const auto &problem : source.problems) ADD_FAILURE() << problem.message();
    program->build(source.text, "", sanitized, "instrumented");
    program->build(source.text, "", "", "plain"); // no AddressSanitizer at all
  }
  static void TearDownTestSuite() { program.reset(); }

  static Outcome run(const std::string &mode, const std::map<std::string, std::string> &environment = {},
                     const std::string &name = "instrumented") {
    return program->run(name, mode, environment);
  }

  // The cases recorded for a kernel, as `kopt mep` reads them.
  std::vector<Case> cases(const Model &model) {
    auto read = program->cases(model, capture);
    EXPECT_THAT(capture.warnings, IsEmpty());
    return read;
  }

  std::vector<long> calls() const {
    std::vector<long> numbers;
    for (const auto &kase : capture.cases) numbers.push_back(kase.call);
    return numbers;
  }

  static inline std::unique_ptr<InstrumentedProgram> program;
  KernelCapture capture;
};

TEST_F(Probe, RecordsTwoPointersIntoTheMiddleOfOneAllocation) {
  ASSERT_EQ(run("middle").exit_code, 0);
  const auto recorded = cases(middle_model());
  ASSERT_EQ(recorded.size(), 1U);
  const auto &kase = recorded[0];
  EXPECT_THAT(values_of<int>(kase.arguments[0].bytes), ElementsAre(4));
  EXPECT_THAT(values_of<double>(kase.arguments[1].bytes), ElementsAre(0.5));
  ASSERT_EQ(kase.buffers.size(), 1U);
  EXPECT_EQ(kase.arguments[2].buffer, 0);
  EXPECT_EQ(kase.arguments[2].offset, 80);
  EXPECT_EQ(kase.arguments[3].buffer, 0);
  EXPECT_EQ(kase.arguments[3].offset, 400);
  const auto before = values_of<double>(kase.buffers[0].before), after = values_of<double>(*kase.buffers[0].after);
  ASSERT_EQ(before.size(), 100U);
  ASSERT_EQ(after.size(), 100U);
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(before[i], static_cast<double>(i));
    EXPECT_EQ(after[i], i >= 50 && i < 54 ? 0.5 * static_cast<double>(i - 40) : static_cast<double>(i));
  }
  EXPECT_EQ(capture.calls, 1);
  EXPECT_TRUE(capture.exact);
}

TEST_F(Probe, RecordsAStructByValueWithAPointerAndTheResult) {
  ASSERT_EQ(run("total").exit_code, 0);
  const auto recorded = cases(total_model());
  ASSERT_EQ(recorded.size(), 1U);
  EXPECT_THAT(values_of<double>(recorded[0].buffers.at(0).before), ElementsAre(1, 2, 3.5));
  EXPECT_FALSE(recorded[0].buffers.at(0).after);
  EXPECT_THAT(values_of<int>(recorded[0].arguments[1].bytes), ElementsAre(3));
  EXPECT_THAT(values_of<double>(*recorded[0].result), ElementsAre(6.5));
}

TEST_F(Probe, RecordsWholeArraysOnTheStackAndAmongGlobals) {
  ASSERT_EQ(run("blend").exit_code, 0);
  const auto recorded = cases(blend_model());
  ASSERT_EQ(recorded.size(), 1U);
  const auto &kase = recorded[0];
  const auto &weights = kase.buffers.at(static_cast<std::size_t>(*kase.arguments[1].buffer));
  const auto &values = kase.buffers.at(static_cast<std::size_t>(*kase.arguments[2].buffer));
  EXPECT_EQ(kase.arguments[1].offset, 8);
  EXPECT_THAT(values_of<double>(weights.before), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(kase.arguments[2].offset, 4);
  EXPECT_THAT(values_of<float>(values.before), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(values_of<float>(*values.after), ElementsAre(1, 4, 9, 4, 5));
}

TEST_F(Probe, RecordsReferencesAndGlobals) {
  ASSERT_EQ(run("gather").exit_code, 0);
  const auto recorded = cases(gather_model());
  ASSERT_EQ(recorded.size(), 1U);
  const auto &kase = recorded[0];
  const auto &sum = kase.buffers.at(static_cast<std::size_t>(*kase.arguments[1].buffer));
  const auto &shared = kase.buffers.at(static_cast<std::size_t>(*kase.arguments[2].buffer));
  EXPECT_THAT(values_of<double>(sum.before), ElementsAre(10));
  EXPECT_THAT(values_of<double>(*sum.after), ElementsAre(16));
  EXPECT_THAT(values_of<double>(shared.before), ElementsAre(1, 2, 3));
  EXPECT_THAT(values_of<int>(kase.arguments[3].bytes), ElementsAre(0)); // before the call
  EXPECT_THAT(values_of<int>(kase.left.at(3)), ElementsAre(1));
}

TEST_F(Probe, DropsACallThatThrowsAndHandsReferencesThrough) {
  ASSERT_EQ(run("pick").exit_code, 0);
  cases(pick_model());
  EXPECT_EQ(capture.calls, 2);
  EXPECT_THAT(calls(), ElementsAre(2));
}

TEST_F(Probe, KeepsTheFirstCallOfAShapeAndALateOne) {
  ASSERT_EQ(run("many").exit_code, 0);
  cases(middle_model());
  EXPECT_EQ(capture.calls, 20);
  EXPECT_THAT(calls(), ElementsAre(1, 16));
  EXPECT_TRUE(capture.cases[1].held_out);
}

TEST_F(Probe, KeepsTheGroupsThatTakeMostOfTheTime) {
  ASSERT_EQ(run("groups", {{"KOPT_CAPTURE_MOST", "2"}}).exit_code, 0);
  const auto recorded = cases(linger_model());
  EXPECT_EQ(capture.calls, 28);
  EXPECT_EQ(capture.groups, 5);
  double heaviest = 0, all = 0;
  for (const auto &kase : recorded) {
    const int milliseconds = values_of<int>(kase.arguments[0].bytes).at(0);
    EXPECT_NE(milliseconds, 0);
    EXPECT_GT(kase.nanoseconds, 0.9e6 * milliseconds);
    if (milliseconds == 60) heaviest = kase.weight;
    all += kase.held_out ? 0 : kase.weight;
  }
  std::string text;
  for (const auto &kase : recorded)
    text += kase.name + " ms " + std::to_string(values_of<int>(kase.arguments[0].bytes).at(0)) + " w " +
            std::to_string(kase.weight) + "\n";
  EXPECT_GT(heaviest, 0.5)
      << text << RealDisk().read(program->folder / "recordings/demo.linger.calls").value_or("?"); // 240 of some 264 ms
  EXPECT_LE(all, 1);
}

TEST_F(Probe, RecordsTheCallsThatAreAskedFor) {
  ASSERT_EQ(run("many", {{"KOPT_CAPTURE_ONLY", "3,5,19"}}).exit_code, 0);
  cases(middle_model());
  EXPECT_THAT(calls(), ElementsAre(3, 5, 19));
}

TEST_F(Probe, KeepsWhatWasRecordedBeforeACrash) {
  EXPECT_NE(run("crash").exit_code, 0);
  cases(middle_model());
  EXPECT_THAT(calls(), ElementsAre(1, 4));
  EXPECT_FALSE(capture.exact);
  EXPECT_EQ(capture.calls, 4); // at least
}

TEST_F(Probe, SaysWhenACallIsTooLarge) {
  const auto outcome = run("middle", {{"KOPT_CAPTURE_LIMIT", "799"}});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(cases(middle_model()), IsEmpty());
  EXPECT_THAT(capture.problem,
              HasSubstr("one call needs 800 bytes, the limit is 799; the largest buffer, which 'u' points into, "
                        "has 800; set KOPT_CAPTURE_LIMIT_MB"));
  EXPECT_THAT(outcome.errors, HasSubstr("one call needs 800 bytes"));
}

TEST_F(Probe, RecordsOnlyWhatTheKernelTouchesWhereTheObjectIsTooLarge) {
  ASSERT_EQ(run("blend", {{"KOPT_CAPTURE_LIMIT", "40"}}).exit_code, 0);
  const auto recorded = cases(blend_model());
  ASSERT_EQ(recorded.size(), 1U) << capture.problem;
  const auto &weights = recorded[0].buffers.at(static_cast<std::size_t>(*recorded[0].arguments[1].buffer));
  EXPECT_EQ(recorded[0].arguments[1].offset, 0);
  EXPECT_THAT(values_of<double>(weights.before), ElementsAre(2, 3));
}

TEST_F(Probe, WithoutASanitizerRecordsByTheModelsExtents) {
  ASSERT_EQ(run("blend", {}, "plain").exit_code, 0);
  const auto recorded = cases(blend_model());
  ASSERT_EQ(recorded.size(), 1U) << capture.problem;
  const auto &values = recorded[0].buffers.at(static_cast<std::size_t>(*recorded[0].arguments[2].buffer));
  EXPECT_THAT(values_of<float>(*values.after), ElementsAre(4, 9));
}

TEST_F(Probe, NamesThePointerWhoseObjectIsNotKnown) {
  ASSERT_EQ(run("middle", {}, "plain").exit_code, 0);
  EXPECT_THAT(cases(middle_model()), IsEmpty());
  EXPECT_THAT(capture.problem, HasSubstr("'out'"));
  EXPECT_THAT(capture.problem, HasSubstr("CASES"));
  ASSERT_EQ(run("freed").exit_code, 0);
  EXPECT_THAT(cases(total_model()), IsEmpty());
  EXPECT_THAT(capture.problem, HasSubstr("'v.data'"));
}

TEST_F(Probe, KeepsPointersAtTheEdgesOfTheirObjects) {
  ASSERT_EQ(run("one past").exit_code, 0);
  auto recorded = cases(middle_model());
  ASSERT_EQ(recorded.size(), 1U) << capture.problem;
  ASSERT_TRUE(recorded[0].arguments[2].buffer); // nothing is touched through it, but it is no null pointer
  EXPECT_EQ(recorded[0].buffers.at(static_cast<std::size_t>(*recorded[0].arguments[2].buffer)).before.size(), 0U);
  ASSERT_EQ(run("counted from one").exit_code, 0);
  recorded = cases(middle_model());
  ASSERT_EQ(recorded.size(), 1U) << capture.problem;
  const auto &from = recorded[0].buffers.at(static_cast<std::size_t>(*recorded[0].arguments[2].buffer));
  EXPECT_EQ(recorded[0].arguments[2].offset, 0);
  EXPECT_EQ(values_of<double>(from.before).at(1), 1);
  EXPECT_EQ(values_of<double>(from.before).size(), 4U);
}

TEST_F(Probe, RecordsOneCallAtATimeAmongThreads) {
  std::string every;
  for (int call = 1; call <= 400; ++call) every += std::to_string(call) + ",";
  ASSERT_EQ(run("threads", {{"KOPT_CAPTURE_ONLY", every}}).exit_code, 0);
  const auto recorded = cases(middle_model());
  EXPECT_EQ(capture.calls, 400);
  ASSERT_GE(recorded.size(), 1U);
  for (const auto &kase : recorded) {
    EXPECT_EQ(kase.buffers.size(), 1U);
    EXPECT_EQ(values_of<double>(*kase.buffers.at(0).after).at(53), 6.5);
  }
}

TEST_F(Probe, IsSilentWithoutAFolder) {
  const auto outcome = run("middle", {{"KOPT_CAPTURE_DIR", ""}});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.errors, "");
}

TEST(ProbeText, KeepsTheLinesOfTheOriginal) {
  const auto source = instrument(RealDisk(), application, source_name, {middle_model(), total_model()});
  EXPECT_THAT(source.problems, IsEmpty());
  // After the last #line the text is the original's.
  const auto last = source.text.rfind("#line");
  const auto line = std::atol(source.text.c_str() + last + 6);
  const auto start = application.find("double total(View v)");
  EXPECT_EQ(line, 1 + std::count(application.begin(), application.begin() + static_cast<long>(start), '\n'));
  EXPECT_EQ(source.text.substr(source.text.size() - 200), application.substr(application.size() - 200));
}

TEST(ProbeText, LeavesASourceWithoutKernelsAsItIs) {
  EXPECT_EQ(instrument(RealDisk(), "int f();\n", "/src/other.cpp", {middle_model()}).text,
            "#line 1 \"/src/other.cpp\"\nint f();\n");
}

TEST(ProbeText, SaysWhichKernelsItCannotRecord) {
  auto pointers = middle_model();
  pointers.leaves[2].element = {"double *", "other", 8, false, {}};
  auto unnamed = total_model();
  unnamed.parameters[0].name = "";
  auto nameless = total_model();
  nameless.parameters[0].name = "unnamed0";
  EXPECT_FALSE(probe_edit(nameless));
  auto gone = blend_model();
  gone.anchor.text = "static void blend(int n) {";
  const auto source = instrument(RealDisk(), application, source_name, {pointers, unnamed, gone});
  ASSERT_EQ(source.problems.size(), 3U);
  EXPECT_THAT(source.problems[0].message(), HasSubstr("'u' leads to pointers"));
  EXPECT_THAT(source.problems[1].message(), HasSubstr("no name"));
  EXPECT_THAT(source.problems[2].message(), HasSubstr("no longer as recorded"));
}

} // namespace
} // namespace kopt
