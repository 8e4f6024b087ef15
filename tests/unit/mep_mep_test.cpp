// Writes MEPs, and builds and runs one as a user would: with CMake alone.
#include "mep/mep.h"

#include "core/process.h"
#include "core/scalar.h"
#include "mep/workload.h"
#include "model_fixture.h"

#include <cstring>
#include <gmock/gmock.h>
#include <unistd.h>

namespace kopt {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

template <typename T> Bytes bytes_of(const std::vector<T> &values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// A capture of the product of two 2 x 2 matrices.
Case captured_product() {
  Case kase;
  kase.name = "call 1";
  kase.origin = "capture";
  kase.arguments.resize(7);
  kase.arguments[0].bytes = bytes_of<int>({2});
  kase.arguments[1].bytes = bytes_of<double>({2});
  for (int k : {2, 3, 4}) kase.arguments[static_cast<std::size_t>(k)].buffer = k - 2;
  kase.arguments[5].bytes = bytes_of<int>({41});
  kase.buffers = {{bytes_of<double>({1, 2, 3, 4}), {}},
                  {bytes_of<double>({1, 2, 3, 4}), {}},
                  {Bytes(32), bytes_of<double>({14, 20, 30, 44})}};
  kase.left.resize(7);
  kase.left[5] = bytes_of<int>({42});
  kase.result = bytes_of<double>({58});
  return kase;
}

TEST(ReplayTest, NamesEachContentsOnceAndZerosNever) {
  auto replay = replay_of(fixture::product(), {captured_product()});
  EXPECT_THAT(replay.files, testing::SizeIs(2));
  EXPECT_THAT(replay.text, HasSubstr("case 0 call 1\nbuffer 32 call_1.buffer-0.before ?\nbuffer 32 call_1.buffer-0.before ?\n"
                                     "buffer 32 - call_1.buffer-2.after\nleaf 0 scalar 02000000\n"));
  EXPECT_THAT(replay.text, HasSubstr("leaf 4 pointer 2 0\nleaf 5 scalar 29000000\nleft 5 2a000000\nleft 6 0000000000004d40\n"));
}

TEST(TemplatesTest, FillsPlacesAndPrefersTheUsersOwn) {
  MemoryDisk disk;
  disk.files["/share/host/a.txt.in"] = "theirs @KOPT_X@ and @@ user@example.org";
  auto environment = [](const std::string &name) {
    return name == "KOPT_TEMPLATE_DIR" ? std::optional<std::string>("/share") : std::nullopt;
  };
  auto fill = [&](const std::string &own) {
    return Templates::find(disk, environment, "/bin/kopt", own, "host").fill("a.txt", {{"KOPT_X", "1"}});
  };
  EXPECT_EQ(fill(""), "theirs 1 and @@ user@example.org");
  disk.files["/own/a.txt.in"] = "own @KOPT_Y@";
  EXPECT_THAT(fill("/own").error().message(), AllOf(HasSubstr("/own/a.txt.in"), HasSubstr("@KOPT_Y@")));
  disk.files["/own/host/a.txt.in"] = "own";
  EXPECT_EQ(fill("/own"), "own");
  disk.files.clear();
  EXPECT_THAT(fill("/own").error().message(), AllOf(HasSubstr("a.txt.in"), HasSubstr("/share/host"), HasSubstr("/own")));
  disk.files["/usr/share/KernelOpt/templates/host/main.cpp.in"] = "installed";
  auto installed = Templates::find(
      disk, [](const std::string &) { return std::nullopt; }, "/usr/bin/kopt", "", "host");
  EXPECT_EQ(installed.fill("main.cpp", {}), "installed");
}

// A folder on disk that goes away with the test.
class MepTest : public testing::Test {
protected:
  void SetUp() override { spec.work_dir = fs::path(testing::TempDir()) / ("mep-" + std::to_string(getpid())); }
  void TearDown() override { fs::remove_all(spec.work_dir); }

  fs::path write(const Model &model, const std::vector<Case> &cases) {
    auto written = write_mep(disk, spec, model, cases, Templates::find(disk, process_environment, "/nowhere/kopt", "", "host"));
    EXPECT_TRUE(written) << written.error().message();
    return spec.mep_dir(model.slug);
  }

  // Output and exit code of a program, in the MEP's folder.
  std::string run(const fs::path &folder, const std::vector<std::string> &words) {
    auto outcome = processes.run({words, folder.string(), {}, {}, {}, false});
    return outcome ? outcome->output + outcome->errors + "exit " + std::to_string(outcome->exit_code)
                   : outcome.error().message();
  }

  void build(const fs::path &folder) {
    ASSERT_THAT(run(folder, {"cmake", "-B", "build"}), HasSubstr("exit 0"));
    ASSERT_THAT(run(folder, {"cmake", "--build", "build"}), HasSubstr("exit 0"));
  }

  RealDisk disk;
  RealProcesses processes;
  Spec spec;
};

TEST_F(MepTest, BuildsAloneReplaysBitForBitAndComparesAVariant) {
  auto right = captured_product(), wrong = captured_product();
  wrong.name = "wrong", wrong.buffers[2].after = bytes_of<double>({14, 20, 30 + 0x1p-48, 44});
  auto folder = write(fixture::product(), {right, wrong});
  build(folder);
  auto output = run(folder, {"build/mep"});
  EXPECT_THAT(output, HasSubstr("call 1: "));
  EXPECT_THAT(output, HasSubstr("runs), same in every bit\n"));
  EXPECT_THAT(output, HasSubstr("wrong: "));
  EXPECT_THAT(output, HasSubstr("DIFFERS in 1 of 6 elements, first c[2]: 30 instead of 30.000000000000004, "
                                "at most 1 ulp, relative 1.18424e-16\n"));
  EXPECT_THAT(output, HasSubstr("exit 1"));
  EXPECT_THAT(run(folder, {"build/mep", "--case", "call 1", "--runs", "3"}),
              AllOf(HasSubstr("median of 3 runs"), HasSubstr("exit 0")));
  EXPECT_THAT(run(folder, {"build/mep", "--case", "none"}), AllOf(HasSubstr("no case none"), HasSubstr("exit 2")));

  ASSERT_TRUE(disk.write(folder / "variant.cpp",
                         "double kopt_variant(int n, double alpha, const double *a, const double *, double *c) {\n"
                         "  calls += 1; c[0] = 14; c[1] = 20; c[2] = 30; c[3] = 44; return 58 + 0 * (n + alpha + a[0]); }\n"));
  ASSERT_THAT(run(folder, {"cmake", "--build", "build"}), HasSubstr("exit 0"));
  EXPECT_THAT(run(folder, {"build/variant", "--case", "call 1", "--runs", "2"}),
              AllOf(HasSubstr("original "), HasSubstr(", variant "), HasSubstr("same in every bit"),
                    Not(HasSubstr("did not run")), HasSubstr("exit 0")));
  ASSERT_TRUE(disk.write(folder / "variant.cpp",
                         "double kopt_variant(int, double, const double *, const double *, double *) { return 0; }\n"));
  ASSERT_THAT(run(folder, {"cmake", "--build", "build"}), HasSubstr("exit 0"));
  EXPECT_THAT(run(folder, {"build/variant", "--runs", "2"}),
              AllOf(HasSubstr("DIFFERS"), HasSubstr("2 of 2 cases differ"), HasSubstr("exit 1")));
}

TEST_F(MepTest, CarriesTheApplicationsFlagsAndForgetsStaleContents) {
  auto model = fixture::product();
  model.compile.arguments.insert(model.compile.arguments.end(),
                                 {"-DTEXT=\"a b\"", "-Iinclude", "-fopenmp", "-isystem", "third party"});
  auto folder = write(model, {captured_product()});
  auto list = *disk.read(folder / "CMakeLists.txt");
  EXPECT_THAT(
      list, AllOf(HasSubstr("SHELL:-O2 -std=gnu++17 '-DTEXT=\"a b\"' -I/tmp/include -fopenmp -isystem '/tmp/third party']==]"),
                  HasSubstr("[==[SHELL:-fopenmp]==]")));
  EXPECT_THAT(*disk.read(folder / "README.md"), HasSubstr("double kopt_variant(int n, double alpha, const double *a"));
  EXPECT_TRUE(disk.exists(folder / "cases/call_1.buffer-0.before"));
  auto renamed = captured_product();
  renamed.name = "other";
  write(model, {renamed});
  EXPECT_FALSE(disk.exists(folder / "cases/call_1.buffer-0.before"));
  EXPECT_TRUE(disk.exists(folder / "cases/other.buffer-0.before"));
}

} // namespace
} // namespace kopt
