// Compile commands: what of them compiles the closure, and what of that Clang is shown.
#include "core/disk.h"
#include "source/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kopt {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

Result<CompileCommand> read(const std::vector<std::string> &words, MemoryDisk disk = {}) {
  return read_command(disk, words, "/b", "/src/k.cpp");
}

TEST(CompileCommand, DropsWhatBelongsToOneObject) {
  const auto command = read({"g++", "-O3", "-Wall", "-MD", "-MT", "k.o", "-MFk.d", "-o", "k.o", "-c", "../src/k.cpp"});
  ASSERT_TRUE(command);
  EXPECT_EQ(command->compiler, "g++");
  EXPECT_THAT(command->arguments, ElementsAre("-O3", "-Wall"));
  EXPECT_THAT(command->clang_arguments, ElementsAre("-O3"));
}

TEST(CompileCommand, KeepsUnknownFlagsFromClang) {
  const auto command =
      read({"g++", "-fno-tree-vectorize", "-std=gnu++20", "--param", "k.cpp=1", "-march=native", "/src/k.cpp"});
  ASSERT_TRUE(command);
  EXPECT_THAT(command->arguments, ElementsAre("-fno-tree-vectorize", "-std=gnu++20", "--param", "k.cpp=1", "-march=native"));
  EXPECT_THAT(command->clang_arguments, ElementsAre("-std=gnu++20", "-march=native"));
}

TEST(CompileCommand, ShowsClangTheTextThatOpenMPEnables) {
  const auto command = read({"g++", "-fopenmp", "k.cpp"});
  ASSERT_TRUE(command);
  EXPECT_THAT(command->arguments, Contains("-fopenmp"));
  EXPECT_THAT(command->clang_arguments, ElementsAre("-D_OPENMP=201511"));
}

TEST(CompileCommand, MakesPathsAbsolute) {
  const auto command = read({"g++", "-I", "inc", "-I../x", "-isystem", "sys", "-include", "pre.h", "k.cpp"});
  ASSERT_TRUE(command);
  EXPECT_THAT(command->clang_arguments, ElementsAre("-I/b/inc", "-I/x", "-isystem", "/b/sys", "-include", "/b/pre.h"));
}

TEST(CompileCommand, KnowsMacros) {
  const auto command = read({"g++", "-DA", "-D", "B=2", "-DC=1", "-UC", "-DD=a=b", "k.cpp"});
  ASSERT_TRUE(command);
  EXPECT_THAT(command->macros, ElementsAre(Pair("A", "1"), Pair("B", "2"), Pair("D", "a=b")));
}

TEST(CompileCommand, ExpandsResponseFiles) {
  MemoryDisk disk;
  disk.files["/b/a.rsp"] = "-DX=1 @b.rsp";
  disk.files["/b/b.rsp"] = "'-DY=a b' -O2";
  const auto command = read({"g++", "@a.rsp", "/src/k.cpp"}, disk);
  ASSERT_TRUE(command);
  EXPECT_THAT(command->arguments, ElementsAre("-DX=1", "-DY=a b", "-O2"));
}

TEST(CompileCommand, SaysWhenAResponseFileIsMissing) {
  const auto command = read({"g++", "@gone.rsp", "/src/k.cpp"});
  ASSERT_FALSE(command);
  EXPECT_THAT(command.error().message(), HasSubstr("/b/gone.rsp"));
}

TEST(CompileCommand, SkipsLaunchers) {
  EXPECT_EQ(read({"/usr/bin/ccache", "g++", "-c", "k.cpp"})->compiler, "g++");
  EXPECT_EQ(read({"ccache", "distcc", "/opt/bin/g++", "-O2", "k.cpp"})->compiler, "/opt/bin/g++");
  EXPECT_EQ(read({"ccache", "-c", "k.cpp"})->compiler, "ccache"); // a compiler of that name: masquerading
  const auto command = read(
      {"cmake", "-E", "__run_co_compile", "--launcher=ccache", "--tidy=x", "--source=k.cpp", "--", "g++", "-DX", "/src/k.cpp"});
  ASSERT_TRUE(command);
  EXPECT_EQ(command->compiler, "g++");
  EXPECT_THAT(command->arguments, ElementsAre("-DX"));
}

TEST(CompileCommand, TellsWhetherItOptimizes) {
  const auto optimizes = [](std::vector<std::string> flags) {
    flags.insert(flags.begin(), "g++");
    return read(flags)->optimizes;
  };
  EXPECT_FALSE(optimizes({}));
  EXPECT_FALSE(optimizes({"-O0"}));
  EXPECT_FALSE(optimizes({"-O3", "-Og"}));
  EXPECT_TRUE(optimizes({"-O"}));
  EXPECT_TRUE(optimizes({"-O0", "-O2"}));
}

Spec spec_with(MemoryDisk &disk, const std::string &commands) {
  disk.files["/b/compile_commands.json"] = commands;
  Spec spec;
  spec.target = "app";
  spec.compile_commands = "/b/compile_commands.json";
  return spec;
}

TEST(CompileCommands, TakeTheEntryOfTheTarget) {
  MemoryDisk disk;
  const Spec spec = spec_with(disk, R"([
    {"directory": "/b", "file": "/src/k.cpp", "command": "g++ -DONE -o CMakeFiles/one.dir/k.o -c /src/k.cpp"},
    {"directory": "/b", "file": "/src/k.cpp", "command": "g++ -DAPP -o x/CMakeFiles/app.dir/k.o -c /src/k.cpp"},
    {"directory": "/b", "file": "/src/k.cpp", "command": "g++ -DTWO -o CMakeFiles/two.dir/k.o -c /src/k.cpp"}])");
  const auto commands = CompileCommands::read(disk, spec);
  ASSERT_TRUE(commands);
  EXPECT_THAT(commands->command_for("/src/k.cpp")->macros, ElementsAre(Pair("APP", "1")));
}

TEST(CompileCommands, TakeTheCommandOfTheFileCompiledInPlaceOfTheOriginal) {
  MemoryDisk disk;
  Spec spec =
      spec_with(disk, R"([{"directory": "/b", "file": "/b/gen/k.cpp", "arguments": ["g++", "-DX=1", "-c", "/b/gen/k.cpp"]}])");
  spec.swapped["/src/k.cpp"] = "/b/gen/k.cpp";
  const auto commands = CompileCommands::read(disk, spec);
  ASSERT_TRUE(commands);
  const auto command = commands->command_for("/src/k.cpp");
  ASSERT_TRUE(command);
  EXPECT_EQ(command->source, "/src/k.cpp");
  EXPECT_THAT(command->arguments, ElementsAre("-DX=1"));
}

TEST(CompileCommands, TakeTheEntryOfTheConfiguration) {
  MemoryDisk disk;
  Spec spec = spec_with(disk, R"([
    {"directory": "/b", "file": "/src/k.cpp", "command": "g++ -DDEBUG -o CMakeFiles/app.dir/Debug/k.o -c /src/k.cpp"},
    {"directory": "/b", "file": "/src/k.cpp", "command": "g++ -DRELEASE -o CMakeFiles/app.dir/Release/k.o -c /src/k.cpp"},
    {"directory": "/b", "file": "/src/k.cpp", "command": "g++ -DOTHER -o CMakeFiles/other.dir/Release/k.o -c /src/k.cpp"}])");
  for (const std::string configuration : {"Debug", "Release"}) {
    spec.configuration = configuration;
    const auto commands = CompileCommands::read(disk, spec);
    ASSERT_TRUE(commands);
    EXPECT_EQ(commands->command_for("/src/k.cpp")->macros.count(configuration == "Debug" ? "DEBUG" : "RELEASE"), 1U);
  }
}

TEST(CompileCommands, TakeTheCommandOfTheUnitySource) {
  MemoryDisk disk;
  disk.files["/b/CMakeFiles/app.dir/Unity/unity_0_cxx.cxx"] = "#include \"/src/a.cpp\"\n";
  disk.files["/b/CMakeFiles/app.dir/Unity/unity_1_cxx.cxx"] = "#include \"/src/k.cpp\"\n";
  disk.files["/b/CMakeFiles/two.dir/Unity/unity_0_cxx.cxx"] = "#include \"/src/k.cpp\"\n";
  const Spec spec = spec_with(disk, R"([
    {"directory": "/b", "file": "/b/CMakeFiles/app.dir/Unity/unity_0_cxx.cxx",
     "command": "g++ -DA -o CMakeFiles/app.dir/Unity/unity_0_cxx.cxx.o -c /b/CMakeFiles/app.dir/Unity/unity_0_cxx.cxx"},
    {"directory": "/b", "file": "/b/CMakeFiles/app.dir/Unity/unity_1_cxx.cxx",
     "command": "g++ -DK -o CMakeFiles/app.dir/Unity/unity_1_cxx.cxx.o -c /b/CMakeFiles/app.dir/Unity/unity_1_cxx.cxx"},
    {"directory": "/b", "file": "/b/CMakeFiles/two.dir/Unity/unity_0_cxx.cxx",
     "command": "g++ -DTWO -o CMakeFiles/two.dir/Unity/unity_0_cxx.cxx.o -c /b/CMakeFiles/two.dir/Unity/unity_0_cxx.cxx"}])");
  const auto commands = CompileCommands::read(disk, spec);
  ASSERT_TRUE(commands);
  const auto command = commands->command_for("/src/k.cpp");
  ASSERT_TRUE(command);
  EXPECT_EQ(command->source, "/src/k.cpp");
  EXPECT_THAT(command->arguments, ElementsAre("-DK")); // and not the unity source's name
}

TEST(CompileCommands, SayWhenASourceHasNone) {
  MemoryDisk disk;
  const auto commands = CompileCommands::read(disk, spec_with(disk, "[]"));
  ASSERT_TRUE(commands);
  const auto command = commands->command_for("/src/k.cpp");
  ASSERT_FALSE(command);
  EXPECT_THAT(command.error().message(), HasSubstr("/src/k.cpp: no compile command of this source"));
}

TEST(CompileCommands, SayWhenThereIsNoFile) {
  MemoryDisk disk;
  Spec spec;
  spec.target = "app";
  spec.compile_commands = "/b/compile_commands.json";
  const auto commands = CompileCommands::read(disk, spec);
  ASSERT_FALSE(commands);
  EXPECT_THAT(commands.error().message(), HasSubstr("no compile commands of target app"));
}

} // namespace
} // namespace kopt
