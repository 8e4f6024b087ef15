// Closures of the cases in tests/source: what is in them, what is not, that they compile alone, and what is refused in which
// words.
#include "core/disk.h"
#include "core/hash.h"
#include "core/process.h"
#include "source/extraction.h"
#include "source_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace kopt {
namespace {

using fixture::Project;
using testing::HasSubstr;
using testing::Not;

std::string joined(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::vector<std::string> cases(const std::string &prefix, bool with) {
  std::vector<std::string> names;
  for (const fs::path &path : RealDisk().files_below(KOPT_SOURCE_CASES))
    if (path.stem().string().starts_with(prefix) == with) names.push_back(path.stem().string());
  return names;
}

std::string case_name(const testing::TestParamInfo<std::string> &info) { return info.param; }

class SourceCase : public testing::TestWithParam<std::string> {
protected:
  RealDisk disk;
  RealProcesses processes;
  Project project{GetParam(), disk.read(fs::path(KOPT_SOURCE_CASES) / (GetParam() + ".cpp")).value()};

  Result<Model> extracted() {
    auto results = extract(disk, processes, project.spec(), {project.value("kernel")});
    return std::move(results.at(0).model);
  }
};

class Closures : public SourceCase {};

// The closure must be valid for the original compiler with the original's flags, in a folder without the project.
void expect_compiles(const Model &model, Disk &disk, const fs::path &folder) {
  const fs::path file = folder / "alone" / "closure.cpp";
  ASSERT_TRUE(disk.write(file, model.closure.text));
  Command command{{"/usr/bin/g++"}, file.parent_path().string(), {}, {}, {}, false};
  for (const std::string &argument : model.compile.arguments)
    if (!argument.starts_with("-I")) command.words.push_back(argument);
  command.words.insert(command.words.end(), {"-fsyntax-only", file.string()});
  const auto outcome = RealProcesses().run(command);
  ASSERT_TRUE(outcome.has_value());
  EXPECT_TRUE(outcome->succeeded()) << outcome->errors << model.closure.text;
}

// Each piece is the slice of the file that it says it is, and stands in the text.
void expect_true_pieces(const Model &model, const Disk &disk, bool expands) {
  for (const Piece &piece : model.closure.pieces) {
    const auto text = disk.read(piece.file);
    ASSERT_TRUE(text.has_value()) << piece.file;
    const std::string slice = text->substr(piece.offset, piece.length);
    EXPECT_EQ(hash_of(slice), piece.hash) << piece.name;
    const bool verbatim = slice.find("#include \"") == std::string::npos && !(expands && piece.kind == "kernel");
    if (verbatim) {
      EXPECT_THAT(model.closure.text, HasSubstr(slice));
    }
    EXPECT_EQ(std::count(text->begin(), text->begin() + piece.offset, '\n') + 1, piece.line) << piece.name;
  }
  for (const ClosureFile &file : model.closure.files) EXPECT_EQ(hash_of(disk.read(file.file).value()), file.hash);
}

void expect_anchor(const Model &model, const Disk &disk) {
  const std::string original = disk.read(model.anchor.file).value();
  EXPECT_EQ(original.substr(model.anchor.offset, model.anchor.length), model.anchor.text);
  EXPECT_EQ(model.closure.text.substr(model.closure.anchor_offset, model.closure.anchor_length), model.anchor.text);
  EXPECT_EQ(model.anchor.text.back(), '{');
  EXPECT_EQ(model.closure.text.at(model.closure.kernel_end - 1), '}');
  EXPECT_EQ(hash_of(model.anchor.text), model.anchor.hash);
}

TEST_P(Closures, HoldsWhatIsNeededAndCompilesAlone) {
  const auto model = extracted();
  ASSERT_TRUE(model.has_value()) << model.error().message();
  for (const std::string &line : project.marked("+")) EXPECT_THAT(model->closure.text, HasSubstr(line));
  for (const std::string &line : project.marked("-")) EXPECT_THAT(model->closure.text, Not(HasSubstr(line)));
  if (const std::string expected = project.value("leaves"); !expected.empty()) {
    std::vector<std::string> paths;
    for (const Leaf &leaf : model->leaves) paths.push_back(leaf.path);
    EXPECT_EQ(joined(paths), expected);
  }
  std::vector<std::string> macros;
  for (const auto &[name, value] : model->compile.macros) macros.push_back(name + "=" + value);
  EXPECT_EQ(joined(macros), project.value("macros"));
  EXPECT_EQ(model->linkage, project.value("linkage").empty() ? model->linkage : project.value("linkage"));
  expect_anchor(*model, disk);
  const auto expansions = project.values("expands");
  for (const std::string &text : expansions) EXPECT_THAT(model->closure.text, HasSubstr(text));
  expect_true_pieces(*model, disk, !expansions.empty());
  expect_compiles(*model, disk, project.folder());
}

INSTANTIATE_TEST_SUITE_P(Source, Closures, testing::ValuesIn(cases("error_", false)), case_name);

std::string plain_project() {
  return "#include \"a b.h\"\nvoid one(int n, double *x) { x[0] = half(n); }\nvoid two(int n) { (void)n; }\n"
         "//! file a b.h\ninline double half(int n) { return n / 2.0; }\n";
}

TEST(Extraction, AnswersForEachKernelInOrder) {
  RealProcesses processes;
  const Project project("several", plain_project());
  const auto results = extract(RealDisk(), processes, project.spec(), {"two", "three", "one", "bad<int>"});
  ASSERT_EQ(results.size(), 4u);
  EXPECT_EQ(results[0].model.value().signature, "void two(int)");
  EXPECT_THAT(results[1].model.error().what, HasSubstr("defines the kernel 'three'"));
  EXPECT_EQ(results[2].model.value().signature, "void one(int, double *)");
  EXPECT_THAT(results[3].model.error().what, HasSubstr("defines the kernel 'bad<int>'"));
}

TEST(Extraction, NamesTheFilesThatItDependsOn) {
  RealProcesses processes;
  const Project project("inputs", plain_project());
  const auto results = extract(RealDisk(), processes, project.spec(), {"one", "missing"});
  const std::string folder = project.folder().string();
  EXPECT_EQ(results.at(0).files, (std::set<std::string>{folder + "/a b.h", folder + "/kernel.cpp"}));
  EXPECT_EQ(results.at(1).files, (std::set<std::string>{folder + "/kernel.cpp"})) << "any source may come to define it";
}

TEST(Extraction, SaysWhenASourceHasNoCompileCommand) {
  RealProcesses processes;
  const Project project("uncompiled", plain_project());
  RealDisk disk;
  ASSERT_TRUE(disk.write(project.folder() / "compile_commands.json", "[]"));
  const auto results = extract(disk, processes, project.spec(), {"one"});
  ASSERT_FALSE(results.at(0).model);
  EXPECT_THAT(results.at(0).model.error().message(), HasSubstr("kernel.cpp: no compile command of this source"));
}

TEST(Extraction, PutsAHeadersKernelIntoEachSourceThatIncludesIt) {
  const Project project("homes", RealDisk().read(fs::path(KOPT_SOURCE_CASES) / "header_kernel.cpp").value());
  RealProcesses processes;
  const auto model = extract(RealDisk(), processes, project.spec(), {"lib::scale"}).at(0).model.value();
  const auto path = [&](const char *file) { return (project.folder() / file).string(); };
  EXPECT_EQ(model.file, path("lib/scale.h"));
  EXPECT_THAT(model.sources, testing::UnorderedElementsAre(path("kernel.cpp"), path("other.cpp")));
}

TEST(Extraction, DescribesAnInstantiation) {
  const Project project("instance", RealDisk().read(fs::path(KOPT_SOURCE_CASES) / "instantiation.cpp").value());
  RealProcesses processes;
  const auto model = extract(RealDisk(), processes, project.spec(), {"ns::axpy<ns::real, 4>"}).at(0).model.value();
  EXPECT_EQ(model.callee, "axpy<float, 4>");
  ASSERT_EQ(model.template_arguments.size(), 2U);
  EXPECT_EQ(Json(model.template_arguments[0]), Json({{"name", "T"}, {"kind", "type"}, {"type", ""}, {"text", "float"}}));
  EXPECT_EQ(Json(model.template_arguments[1]), Json({{"name", "N"}, {"kind", "value"}, {"type", "int"}, {"text", "4"}}));
  EXPECT_EQ(model.parameters.at(2).type, "const float *");
  EXPECT_EQ(model.leaf("x")->element.type, "float");
}

class Refusals : public SourceCase {};

TEST_P(Refusals, SayWhatWhereAndWhatToDo) {
  const auto model = extracted();
  ASSERT_FALSE(model.has_value());
  const auto expected = project.values("error");
  ASSERT_FALSE(expected.empty());
  for (const std::string &text : expected) EXPECT_THAT(model.error().message(), HasSubstr(text));
  EXPECT_FALSE(model.error().where.empty());
  EXPECT_FALSE(model.error().remedy.empty());
}

INSTANTIATE_TEST_SUITE_P(Source, Refusals, testing::ValuesIn(cases("error_", true)), case_name);

} // namespace
} // namespace kopt
