// Every kind of memory a kernel can be given, and every way in which a recording can fail: an application with all of them is
// instrumented, compiled and run.
#include "capture_program.h"
#include "mep/probe.h"

#include <memory>

namespace kopt {
namespace {

using namespace fixture;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string application = R"cpp(#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>
void add(int n, const double *x, double *y) {
  for (int i = 0; i < n; ++i) y[i] += x[i];
}
void scale(int n, double *x) {
  for (int i = 0; i < n; ++i) x[i] *= 2;
}
double ends(int how, double *x) {
  if (how == 2) std::exit(3);
  if (how == 3) raise(SIGKILL);
  return x[0] += 1;
}
extern double outside[8]; // of other.cpp, which is not instrumented
void with_array(void (*use)(double *));
static double inside[6] = {1, 2, 3, 4, 5, 6};
static const double *const constants = inside;
int main(int, char **words) {
  const std::string mode = words[1];
  std::vector<double> heap{1, 2, 3, 4, 5, 6, 7, 8};
  if (mode == "kinds") {
    double stack[5] = {10, 20, 30, 40, 50};
    add(2, constants + 3, stack + 1);
    return stack[2] == 35 ? 0 : 1;
  }
  if (mode == "mappings") {
    const long page = sysconf(_SC_PAGESIZE);
    char *all = static_cast<char *>(mmap(nullptr, 5 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    double *from = reinterpret_cast<double *>(all + page), *to = reinterpret_cast<double *>(all + 3 * page);
    mprotect(from, page, PROT_READ | PROT_WRITE);
    mprotect(to, page, PROT_READ | PROT_WRITE);
    from[9] = 7;
    for (int i = 0; i < 4; ++i) from[10 + i] = i + 1, to[page / 8 - 4 + i] = 10;
    mprotect(from, page, PROT_READ);
    add(4, from + 10, to + page / 8 - 4);
    return to[page / 8 - 1] == 14 ? 0 : 1;
  }
  if (mode == "short file") {
    const long page = sysconf(_SC_PAGESIZE);
    std::string name = "/tmp/kopt-short-XXXXXX";
    const int file = mkstemp(&name[0]);
    unlink(name.c_str());
    const double contents[2] = {1, 2};
    if (write(file, contents, sizeof contents) != sizeof contents) return 1;
    double *mapped = static_cast<double *>(mmap(nullptr, 4 * page, PROT_READ, MAP_PRIVATE, file, 0));
    add(2, mapped, heap.data());
  }
  if (mode == "overlap") add(4, heap.data() + 1, heap.data() + 2);
  if (mode == "alias") add(8, heap.data(), heap.data());
  if (mode == "nothing") {
    double *empty = static_cast<double *>(std::malloc(0));
    add(0, nullptr, empty);
    std::free(empty);
  }
  if (mode == "wild") scale(0, reinterpret_cast<double *>(16));
  if (mode == "wild and unknown") add(0, reinterpret_cast<double *>(16), heap.data());
  if (mode == "too far") {
    // The kernel's own loop ends early enough; the model of scale() in this test does not know that.
    scale(1, heap.data() + 7);
  }
  if (mode == "outside") scale(3, outside + 1);
  if (mode == "outside unknown") add(3, outside + 1, heap.data());
  if (mode == "their stack") with_array([](double *array) { scale(3, array); });
  if (mode == "their stack unknown") with_array([](double *array) { add(2, array, array); });
  if (mode == "exits") ends(1, heap.data()), ends(2, heap.data());
  if (mode == "killed") ends(1, heap.data()), ends(3, heap.data());
  if (mode == "large") {
    std::vector<double> many(1 << 16, 1.0);
    scale(1 << 16, many.data());
  }
  if (mode == "some too large") {
    std::vector<double> many(1000, 1.0);
    for (int i = 0; i < 3; ++i) scale(8, heap.data()), scale(1000, many.data());
  }
  if (mode == "forks") {
    scale(8, heap.data());
    if (fork() == 0) {
      for (int i = 0; i < 10; ++i) scale(8, heap.data());
      std::exit(0);
    }
    wait(nullptr);
  }
  if (mode == "processes") {
    if (fork() == 0) {
      scale(8, heap.data());
      std::exit(0);
    }
    wait(nullptr);
    scale(4, heap.data());
  }
  return 0;
}
)cpp";

const std::string other = "double outside[8] = {1, 2, 3, 4, 5, 6, 7, 8};\n"
                          "void with_array(void (*use)(double *)) {\n"
                          "  double array[6] = {1, 2, 3, 4, 5, 6};\n"
                          "  use(array + 1);\n"
                          "}\n";

constexpr const char *source_name = "/src/demo.cpp";

Model model_of(const std::string &name, const std::string &anchor, const std::string &result) {
  Model model;
  model.name = model.slug = name;
  model.return_type = result;
  model.file = source_name;
  model.line = 12;
  model.anchor = {source_name, static_cast<long>(application.find(anchor)), static_cast<long>(anchor.size()), 1, "", anchor};
  return model;
}

Model add_model() { // whose extents are not known
  auto model = model_of("add", "void add(int n, const double *x, double *y) {", "void");
  model.parameters = {{"n", "int", "value", "int", 4, 4, {0}},
                      {"x", "const double *", "value", "const double *", 8, 8, {1}},
                      {"y", "double *", "value", "double *", 8, 8, {2}}};
  model.leaves = {scalar_leaf("n", 0, integer_element()),
                  pointer_leaf("x", 1, "const double *", float_element(), "read", std::nullopt),
                  pointer_leaf("y", 2, "double *", float_element(), "readwrite", std::nullopt)};
  return model;
}

Model scale_model(const Polynomial &extent = symbol("n")) {
  auto model = model_of("scale", "void scale(int n, double *x) {", "void");
  model.parameters = {{"n", "int", "value", "int", 4, 4, {0}}, {"x", "double *", "value", "double *", 8, 8, {1}}};
  model.leaves = {scalar_leaf("n", 0, integer_element()),
                  pointer_leaf("x", 1, "double *", float_element(), "readwrite", extent)};
  return model;
}

Model ends_model() {
  auto model = model_of("ends", "double ends(int how, double *x) {", "double");
  model.parameters = {{"how", "int", "value", "int", 4, 4, {0}}, {"x", "double *", "value", "double *", 8, 8, {1}}};
  model.leaves = {scalar_leaf("how", 0, integer_element()),
                  pointer_leaf("x", 1, "double *", float_element(), "readwrite", Polynomial(1)), result_leaf(float_element())};
  return model;
}

class Memory : public testing::Test {
protected:
  static void SetUpTestSuite() {
    program = std::make_unique<InstrumentedProgram>();
    const auto source = instrument(RealDisk(), application, source_name, {add_model(), scale_model(), ends_model()});
    for (const auto &problem : source.problems) ADD_FAILURE() << problem.message();
    program->build(source.text, other, sanitized, "demo");
  }
  static void TearDownTestSuite() { program.reset(); }

  // The one case that a run gives; an empty one where there is another number of them.
  Case recorded(const std::string &mode, const Model &model, int exit_code = 0) {
    const auto outcome = program->run("demo", mode);
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.errors;
    auto cases = program->cases(model, capture);
    EXPECT_EQ(cases.size(), 1U) << capture.problem << outcome.errors;
    if (cases.size() != 1) return {"", 1, false, "", 0, std::vector<Argument>(3, Argument{{}, 0, 0}), {{}}, {}, {}};
    return cases[0];
  }
  // What the user is told where a run gives no case.
  std::string refusal(const std::string &mode, const Model &model) {
    const auto outcome = program->run("demo", mode);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    EXPECT_THAT(program->cases(model, capture), IsEmpty());
    return capture.problem;
  }
  static const Buffer &buffer_of(const Case &kase, std::size_t leaf) {
    return kase.buffers.at(static_cast<std::size_t>(kase.arguments.at(leaf).buffer.value_or(0)));
  }
  // Elements from the pointer on.
  static std::vector<double> seen(const Case &kase, std::size_t leaf, const std::vector<std::uint8_t> &contents) {
    const auto begin = static_cast<std::size_t>(kase.arguments.at(leaf).offset);
    return values_of<double>({contents.begin() + static_cast<std::ptrdiff_t>(begin), contents.end()});
  }

  static inline std::unique_ptr<InstrumentedProgram> program;
  KernelCapture capture;
};

TEST_F(Memory, OnTheStackAndAmongGlobalsIsKeptWhole) {
  const auto kase = recorded("kinds", add_model());
  EXPECT_EQ(buffer_of(kase, 1).memory, "global");
  EXPECT_EQ(kase.arguments[1].offset, 24); // so that x[-1] replays too
  EXPECT_THAT(values_of<double>(buffer_of(kase, 1).before), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(buffer_of(kase, 2).memory, "stack");
  EXPECT_EQ(kase.arguments[2].offset, 8);
  EXPECT_THAT(values_of<double>(buffer_of(kase, 2).before), ElementsAre(10, 20, 30, 40, 50));
  EXPECT_THAT(values_of<double>(*buffer_of(kase, 2).after), ElementsAre(10, 24, 35, 40, 50));
}

TEST_F(Memory, ThatIsMappedIsKeptToItsUnreadableNeighbours) {
  const auto kase = recorded("mappings", add_model());
  EXPECT_EQ(buffer_of(kase, 1).memory, "mapping");
  EXPECT_EQ(buffer_of(kase, 1).before.size(), 4096U);
  EXPECT_EQ(kase.arguments[1].offset, 80);
  EXPECT_EQ(values_of<double>(buffer_of(kase, 1).before).at(9), 7); // ahead of the pointer
  EXPECT_EQ(kase.arguments[2].offset, 4096 - 32);
  EXPECT_THAT(seen(kase, 2, buffer_of(kase, 2).before), Each(10));
  EXPECT_THAT(seen(kase, 2, *buffer_of(kase, 2).after), ElementsAre(11, 12, 13, 14));
}

TEST_F(Memory, OfAFileShorterThanItsMappingIsKeptAsFarAsItGoes) {
  const auto kase = recorded("short file", add_model());
  EXPECT_EQ(buffer_of(kase, 1).before.size(), 4096U); // reading beyond would end the application
  EXPECT_EQ(seen(kase, 1, buffer_of(kase, 1).before).at(1), 2);
}

TEST_F(Memory, ThatOverlapsIsOneBuffer) {
  const auto kase = recorded("overlap", add_model());
  ASSERT_EQ(kase.buffers.size(), 1U);
  EXPECT_EQ(kase.arguments[1].offset, 8);
  EXPECT_EQ(kase.arguments[2].offset, 16);
  EXPECT_THAT(values_of<double>(*kase.buffers[0].after), ElementsAre(1, 2, 5, 9, 14, 20, 7, 8)); // each sum feeds the next
  const auto same = recorded("alias", add_model());
  ASSERT_EQ(same.buffers.size(), 1U);
  EXPECT_EQ(same.arguments[1].offset, same.arguments[2].offset);
}

TEST_F(Memory, ThatIsNullOrEmptyStaysSo) {
  const auto kase = recorded("nothing", add_model());
  EXPECT_FALSE(kase.arguments[1].buffer);
  EXPECT_TRUE(kase.arguments[2].buffer);
  EXPECT_LE(buffer_of(kase, 2).before.size(), 1U); // AddressSanitizer gives one byte
  const auto wild = recorded("wild", scale_model());
  ASSERT_TRUE(wild.arguments[1].buffer); // not null, and nothing is behind it
  EXPECT_EQ(buffer_of(wild, 1).memory, "empty");
  EXPECT_THAT(buffer_of(wild, 1).before, IsEmpty());
}

TEST_F(Memory, OfASourceThatIsNotInstrumentedIsKeptAsFarAsTheModelKnows) {
  auto kase = recorded("outside", scale_model());
  EXPECT_EQ(buffer_of(kase, 1).memory, "window");
  EXPECT_THAT(values_of<double>(buffer_of(kase, 1).before), ElementsAre(2, 3, 4));
  EXPECT_THAT(values_of<double>(*buffer_of(kase, 1).after), ElementsAre(4, 6, 8));
  kase = recorded("their stack", scale_model());
  EXPECT_THAT(values_of<double>(buffer_of(kase, 1).before), ElementsAre(2, 3, 4));
  for (const auto *mode : {"outside unknown", "their stack unknown", "wild and unknown"}) {
    const auto problem = refusal(mode, add_model());
    EXPECT_THAT(problem, HasSubstr("the size of what 'x' points to is not known")) << mode;
    EXPECT_THAT(problem, HasSubstr("CASES")) << mode;
  }
}

TEST_F(Memory, SmallerThanTheModelSaysIsAnErrorThatNamesBoth) {
  EXPECT_EQ(program->run("demo", "too far").exit_code, 0);
  EXPECT_THAT(program->cases(scale_model(symbol("n") + Polynomial(4)), capture), IsEmpty());
  ASSERT_EQ(capture.warnings.size(), 1U);
  EXPECT_THAT(capture.warnings[0], HasSubstr("'x' leads to 1 elements in the application"));
  EXPECT_THAT(capture.warnings[0], HasSubstr("n + 4 = 5"));
}

TEST_F(Memory, OfACallThatNeverReturnsIsNotUsed) {
  recorded("exits", ends_model(), 3);
  ASSERT_EQ(capture.warnings.size(), 1U);
  EXPECT_THAT(capture.warnings[0], HasSubstr("call 2 is not used: the application ended while it was recorded"));
  recorded("killed", ends_model(), 128 + SIGKILL);
  ASSERT_EQ(capture.warnings.size(), 1U);
  EXPECT_THAT(capture.warnings[0], HasSubstr("call 2 is not used"));
  EXPECT_FALSE(capture.exact);
}

TEST_F(Memory, ThatDoesNotFitOnTheDiskIsSaidAndNotUsed) {
  const auto outcome = program->run("demo", "large", {}, {"bash", "-c", "trap '' XFSZ; ulimit -f 64; exec \"$@\"", "bash"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  EXPECT_THAT(outcome.errors, HasSubstr("kopt capture: scale: call 1 cannot be recorded: cannot write"));
  EXPECT_THAT(program->cases(scale_model(), capture), IsEmpty());
  EXPECT_THAT(capture.problem, HasSubstr("call 1 cannot be recorded"));
  EXPECT_THAT(capture.problem, HasSubstr("File too large"));
}

TEST_F(Memory, OfOneGroupThatIsTooLargeLeavesTheOthers) {
  const auto outcome = program->run("demo", "some too large", {{"KOPT_CAPTURE_LIMIT", "1000"}});
  EXPECT_EQ(outcome.exit_code, 0);
  const auto cases = program->cases(scale_model(), capture);
  EXPECT_FALSE(cases.empty());
  for (const auto &kase : cases) EXPECT_EQ(values_of<int>(kase.arguments[0].bytes).at(0), 8);
  ASSERT_EQ(capture.warnings.size(), 1U);
  EXPECT_THAT(capture.warnings[0], HasSubstr("one call needs 8000 bytes, the limit is 1000"));
}

TEST_F(Memory, OfSeveralProcessesIsRecordedByOne) {
  recorded("forks", scale_model());
  EXPECT_EQ(capture.calls, 1); // those of the child are not counted
  const auto kase = recorded("processes", scale_model());
  EXPECT_EQ(values_of<int>(kase.arguments[0].bytes).at(0), 8); // the child was first
}

} // namespace
} // namespace kopt
