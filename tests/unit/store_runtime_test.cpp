// The whole way back into an application, for real: a record from the store, the integrated source, the user's compiler, the
// runtime of templates/runtime, and the environment that controls it.
#include "core/process.h"
#include "store/application.h"
#include "store/integrate.h"
#include "store_fixture.h"

#include <algorithm>
#include <cstdlib>
#include <gmock/gmock.h>
#include <unistd.h>

namespace kopt {
namespace {

using testing::HasSubstr;

// Calls the kernel twice on separate arrays and once in place, where its guard cannot hold; then once more when the program's
// static variables are destroyed.
const std::string main_cpp = R"cpp(#include "grid.h"
#include <cstdio>
#include <vector>
namespace heat { void diffuse(const Grid &g, const double *u, double *next); }
static const Grid g = {8, 6};
static double late[48];
struct Late {
  std::vector<double> u = std::vector<double>(48, 2.0);
  Late() { heat::diffuse(g, u.data(), late); }
  ~Late() { heat::diffuse(g, u.data(), late); }
} static at_exit;
int main() {
  std::vector<double> u(48), next(48);
  for (int k = 0; k < 48; ++k) u[k] = k * k % 7;
  heat::diffuse(g, u.data(), next.data());
  heat::diffuse(g, u.data(), u.data());
  double sum = 0;
  for (int k = 0; k < 48; ++k) sum += u[k] + next[k] + late[k];
  std::printf("sum %.17g\n", sum);
}
)cpp";

class RuntimeTest : public testing::Test {
protected:
  static inline fs::path folder;

  static void SetUpTestSuite() {
    char name[] = "/tmp/kopt_runtime_test.XXXXXX";
    folder = mkdtemp(name);
    RealDisk disk;
    const Spec spec = fixture::heat_spec(folder, folder / "build");
    const auto record = fixture::lay_out(disk, spec);
    const auto made = integrate(disk, {{record}, folder / "kernels.cpp", folder}).value();
    ASSERT_THAT(made.warnings, testing::IsEmpty());
    fixture::must(disk.write(folder / "build/kernels.cpp", made.text));
    fixture::must(disk.write(folder / "main.cpp", main_cpp));
    const std::string runtime = KOPT_TEMPLATES_DIR "/runtime/kopt_runtime.cpp";
    // The user's flags apply to the runtime and to the generated source. Two copies of the runtime, as two libraries bring.
    const std::vector<std::string> flags = {"-std=c++11", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"};
    compile("runtime.o", runtime, flags);
    compile("again.o", runtime, flags);
    compile("kernels.o", (folder / "build/kernels.cpp").string(), flags);
    compile("main.o", (folder / "main.cpp").string(), {});
    shell({"g++", "main.o", "kernels.o", "runtime.o", "again.o", "-o", "app"});
  }
  static void TearDownTestSuite() { fs::remove_all(folder); }

  static void compile(const std::string &object, const std::string &source, const std::vector<std::string> &flags) {
    std::vector<std::string> words = {"g++"};
    words.insert(words.end(), flags.begin(), flags.end());
    words.insert(words.end(), {"-iquote", folder.string(), "-c", source, "-o", object});
    shell(words);
  }
  static void shell(const std::vector<std::string> &words) {
    const auto outcome = RealProcesses().run({words, folder.string(), {}, {}, {}, false}).value();
    ASSERT_TRUE(outcome.succeeded()) << shell_quoted(words) << "\n" << outcome.errors;
  }
  static Outcome run(const std::map<std::string, std::string> &environment) {
    std::vector<std::string> removed = {"KOPT_DISABLE", "KOPT_TRACE", "KOPT_TIME"};
    std::erase_if(removed, [&](const auto &name) { return environment.contains(name); });
    return RealProcesses().run({{(folder / "app").string()}, folder.string(), environment, removed, {}, false}).value();
  }
};

TEST_F(RuntimeTest, IsSilentWhenNothingIsAsked) {
  const auto outcome = run({});
  EXPECT_TRUE(outcome.succeeded());
  EXPECT_EQ(outcome.errors, "");
}

TEST_F(RuntimeTest, VariantAndOriginalComputeTheSame) {
  EXPECT_THAT(run({}).output, HasSubstr("sum "));
  EXPECT_EQ(run({}).output, run({{"KOPT_DISABLE", "1"}}).output);
}

TEST_F(RuntimeTest, TraceTellsTheFirstCallAndASummaryThatCountsLateCalls) {
  EXPECT_EQ(run({{"KOPT_TRACE", "1"}}).errors,
            "kopt: heat.diffuse (heat) runs the variant\n"
            "kopt: heat.diffuse (heat): 4 calls, 3 ran the variant, 1 with guards that did not hold\n");
}

TEST_F(RuntimeTest, DisableTakesOneAndNamesOfKernels) {
  for (const char *value : {"1", "heat.diffuse", "heat.other,heat.diffuse", "heat/heat.diffuse"})
    EXPECT_THAT(run({{"KOPT_TRACE", "1"}, {"KOPT_DISABLE", value}}).errors,
                testing::AllOf(HasSubstr("runs the original: KOPT_DISABLE"), HasSubstr("4 calls, 0 ran the variant, 0 with")))
        << value;
  for (const char *value : {"0", "", "heat.diff", "heat.diffuse2", "other/heat.diffuse"})
    EXPECT_THAT(run({{"KOPT_TRACE", "1"}, {"KOPT_DISABLE", value}}).errors, HasSubstr("4 calls, 3 ran the variant")) << value;
}

TEST_F(RuntimeTest, TimesAreAppendedAtExit) {
  const auto file = folder / "times.jsonl";
  ASSERT_TRUE(run({{"KOPT_TIME", file.string()}}).succeeded());
  ASSERT_TRUE(run({{"KOPT_TIME", file.string()}, {"KOPT_DISABLE", "1"}}).succeeded());
  const auto times = read_times(RealDisk(), file, "heat");
  ASSERT_TRUE(times) << times.error().message();
  const auto &time = times->at("heat.diffuse");
  EXPECT_EQ(time.processes, 2U);
  EXPECT_EQ(time.calls, 8U);
  EXPECT_EQ(time.variant_calls, 3U);
  EXPECT_GT(time.first_call_seconds, 0);
  EXPECT_GT(time.seconds, time.first_call_seconds);
}

TEST_F(RuntimeTest, ATimeFileThatCannotBeWrittenIsSaidAndHarmsNothing) {
  const auto outcome = run({{"KOPT_TIME", "/no/such/folder/times"}});
  EXPECT_TRUE(outcome.succeeded());
  EXPECT_EQ(outcome.errors, "kopt: KOPT_TIME: cannot write /no/such/folder/times: No such file or directory\n");
}

TEST_F(RuntimeTest, DiagnosticsOfTheIntegratedSourceNameTheOriginal) {
  RealDisk disk;
  auto text = disk.read(folder / "build/kernels.cpp").value();
  const auto end = text.rfind("} // namespace heat");
  fixture::must(disk.write(folder / "build/broken.cpp", text.substr(0, end) + "int wrong = nothing;\n" + text.substr(end)));
  const auto outcome =
      RealProcesses()
          .run({{"g++", "-iquote", folder.string(), "-fsyntax-only", "build/broken.cpp"}, folder.string(), {}, {}, {}, false})
          .value();
  EXPECT_THAT(outcome.errors, HasSubstr((folder / "kernels.cpp").string() + ":16:"));
}

TEST_F(RuntimeTest, ThreadsMayMeetAtAFirstCall) {
  RealDisk disk;
  fixture::must(disk.write(folder / "threads.cpp", R"cpp(#include "grid.h"
#include <thread>
#include <vector>
namespace heat { void diffuse(const Grid &g, const double *u, double *next); }
int main() {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([] {
      const Grid g = {8, 6};
      std::vector<double> u(48), next(48);
      for (int k = 0; k < 1000; ++k) heat::diffuse(g, u.data(), next.data());
    });
  for (auto &thread : threads) thread.join();
}
)cpp"));
  shell({"g++", "-pthread", "-iquote", folder.string(), "threads.cpp", "kernels.o", "runtime.o", "-o", "threads"});
  const auto outcome =
      RealProcesses()
          .run({{(folder / "threads").string()}, folder.string(), {{"KOPT_TRACE", "1"}}, {"KOPT_DISABLE"}, {}, false})
          .value();
  EXPECT_EQ(outcome.errors, "kopt: heat.diffuse (heat) runs the variant\n"
                            "kopt: heat.diffuse (heat): 8000 calls, 8000 ran the variant, 0 with guards that did not hold\n");
}

} // namespace
} // namespace kopt
