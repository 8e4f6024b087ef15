// Toolchain: the header folders of the target's own compiler, and a compiler wrapper that adds some.
#include "fake_processes.h"
#include "core/disk.h"
#include "core/json.h"
#include "source/extraction.h"
#include "source/toolchain.h"
#include "source_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace kopt {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char *report = "Using built-in specs.\n#include \"...\" search starts here:\n"
                               "#include <...> search starts here:\n"
                               " /opt/mpi/include\n /usr/include/c++/12\n /usr/lib/gcc/x86_64-linux-gnu/12/include\n"
                               " /usr/lib/gcc/x86_64-linux-gnu/12/include-fixed\n /usr/include/../include/x86_64-linux-gnu\n"
                               "End of search list.\n# 1 \"/dev/null\"\n";

CompileCommand command_of(const std::string &compiler) {
  CompileCommand command;
  command.compiler = compiler;
  command.arguments = {"-std=c++17", "-O3", "-Iproject"};
  command.clang_arguments = {"-std=c++17", "-Iproject"};
  return command;
}

TEST(Toolchain, ReadsTheFoldersOfAReport) {
  EXPECT_THAT(include_folders(report),
              ElementsAre("/opt/mpi/include", "/usr/include/c++/12", "/usr/lib/gcc/x86_64-linux-gnu/12/include",
                          "/usr/lib/gcc/x86_64-linux-gnu/12/include-fixed", "/usr/include/x86_64-linux-gnu"));
  EXPECT_THAT(include_folders("cc1plus: fatal error"), IsEmpty());
}

TEST(Toolchain, GivesClangTheCompilersFoldersAndItsOwnBuiltins) {
  fixture::FakeProcesses processes;
  processes.answer = [](const Command &) {
    Outcome outcome;
    outcome.errors = report;
    return outcome;
  };
  Toolchain toolchain(processes);
  const auto words = toolchain.completed(command_of("mpic++")).clang_arguments;
  EXPECT_THAT(words, Contains("/opt/mpi/include"));
  EXPECT_THAT(words, Contains("-nostdinc++"));
  const auto builtin = std::find(words.begin(), words.end(), "/usr/lib/gcc/x86_64-linux-gnu/12/include");
  ASSERT_NE(builtin, words.end()); // omp.h is there, but what Clang has comes first
  EXPECT_EQ(*std::prev(builtin), "-idirafter");
  EXPECT_THAT(words, Contains(HasSubstr("/clang/")).Times(1));
  EXPECT_THAT(processes.commands.at(0).words, ElementsAre("mpic++", "-E", "-v", "-x", "c++", "-std=c++17", "/dev/null"));
  (void)toolchain.completed(command_of("mpic++"));
  EXPECT_EQ(processes.commands.size(), 1u) << "asked once";
}

TEST(Toolchain, LeavesTheCommandOfACompilerThatDoesNotAnswer) {
  fixture::FakeProcesses processes;
  processes.answer = [](const Command &) { return fixture::refusal("unknown option -v"); };
  EXPECT_EQ(Toolchain(processes).completed(command_of("cc")).clang_arguments, command_of("cc").clang_arguments);
}

// As mpic++ does: the header that the source needs is in a folder that only the wrapper knows.
TEST(Toolchain, FindsTheHeadersOfAWrapper) {
  const fixture::Project project("wrapper", "#include <wrapped.h>\n#include <cmath>\nvoid one(int n, double *x) { x[0] = "
                                            "std::sqrt(wrapped(n)); }\n");
  RealDisk disk;
  RealProcesses processes;
  const fs::path hidden = project.folder() / "hidden", wrapper = project.folder() / "wrapper";
  ASSERT_TRUE(disk.write(hidden / "wrapped.h", "inline double wrapped(int n) { return n / 3.0; }\n"));
  ASSERT_TRUE(disk.write(wrapper, "#!/bin/sh\nexec g++ \"-isystem" + hidden.string() + "\" \"$@\"\n"));
  fs::permissions(wrapper, fs::perms::owner_all);
  const std::string source = (project.folder() / "kernel.cpp").string();
  ASSERT_TRUE(disk.write(project.folder() / "compile_commands.json",
                         Json::array({{{"directory", project.folder().string()},
                                       {"file", source},
                                       {"arguments", {wrapper.string(), "-O2", "-c", source, "-o", "k.o"}}}})
                             .dump()));
  const auto results = extract(disk, processes, project.spec(), {"one"});
  ASSERT_TRUE(results.at(0).model) << results.at(0).model.error().message();
}

} // namespace
} // namespace kopt
