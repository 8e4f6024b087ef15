#include "store/integrate.h"

#include "store_fixture.h"

#include <algorithm>
#include <gmock/gmock.h>

namespace kopt {
namespace {

using fixture::replaced;
using testing::HasSubstr;

class IntegrateTest : public testing::Test {
protected:
  MemoryDisk disk;
  Spec spec = fixture::heat_spec("/src/app");
  fs::path record = fixture::lay_out(disk, spec);
  IntegrateRequest request{{record}, "/src/app/kernels.cpp", "/src/app"};

  IntegratedSource made() { return integrate(disk, request).value(); }
  // The original behind its #line, and one warning.
  void expect_original(const std::string &warning) {
    const auto source = made();
    EXPECT_TRUE(source.kernels.empty());
    EXPECT_THAT(source.text, testing::EndsWith("#line 1 \"/src/app/kernels.cpp\"\n" + disk.files["/src/app/kernels.cpp"]));
    EXPECT_THAT(source.text, testing::Not(HasSubstr("kopt_site")));
    ASSERT_EQ(source.warnings.size(), 1U);
    EXPECT_THAT(source.warnings.front(), HasSubstr(warning));
    EXPECT_THAT(source.warnings.front(), HasSubstr("warning: kopt builds the original of heat"));
  }
};

TEST_F(IntegrateTest, TheDispatchStandsAtTheHeadOfTheKernel) {
  const auto source = made();
  EXPECT_TRUE(source.warnings.empty());
  EXPECT_EQ(source.kernels, std::vector<std::string>{"heat::diffuse"});
  EXPECT_THAT(source.text, HasSubstr("struct kopt_site"));
  EXPECT_THAT(source.text, HasSubstr("#line 10 \"/src/app/kernels.cpp\"\nvoid diffuse("));
  EXPECT_THAT(source.text, HasSubstr(fixture::variant_cpp));
}

TEST_F(IntegrateTest, EverythingItDependsOnIsAnInput) {
  const auto inputs = made().inputs;
  EXPECT_THAT(inputs, testing::UnorderedElementsAre("/src/app/kernels.cpp", "/src/app/grid.h", record,
                                                    record.parent_path() / "variant.cpp", record.parent_path() / "plan.txt"));
}

TEST_F(IntegrateTest, SeveralKernelsOfOneSource) {
  auto &text = disk.files["/src/app/kernels.cpp"];
  const auto begin = text.find("void diffuse"), end = text.find("\n}", begin) + 2;
  text.insert(end, "\n\n" + replaced(text.substr(begin, end - begin), "diffuse", "smooth"));
  Model model = fixture::diffuse_model("/src/app");
  model.name = "heat::smooth", model.slug = "heat.smooth";
  model.anchor.text = replaced(model.anchor.text, "diffuse", "smooth");
  model.closure.pieces.back() = fixture::piece(text, "/src/app/kernels.cpp", "heat::smooth", "kernel", "void smooth", "\n}");
  request.records.push_back(accept(disk, spec, model, fixture::diffuse_variant(), fixture::faster(), {}).value());
  const auto source = made();
  EXPECT_THAT(source.warnings, testing::IsEmpty());
  EXPECT_THAT(source.kernels, testing::ElementsAre("heat::diffuse", "heat::smooth"));
  EXPECT_LT(source.text.find("KOPT_DISPATCH_heat_diffuse"), source.text.find("KOPT_DISPATCH_heat_smooth"));
  EXPECT_THAT(source.text, HasSubstr("#line 16 \"/src/app/kernels.cpp\"\nvoid smooth("));
}

// The kernel of the fixture in a header that two sources include.
class HeaderKernelTest : public IntegrateTest {
protected:
  void SetUp() override {
    const std::string kernel_text = fixture::kernels_cpp;
    const auto swap_file = [&](std::string &file) { file = file == "/src/app/kernels.cpp" ? header : file; };
    disk.files[header] = "#pragma once\n" + kernel_text;
    disk.files["/src/app/kernels.cpp"] = "// A source.\n#include \"heat/kernels.h\"\nint one() { return 1; }\n";
    Model model = fixture::diffuse_model("/src/app");
    swap_file(model.file), swap_file(model.anchor.file);
    model.anchor.line += 1, model.anchor.offset += 13;
    for (Piece &piece : model.closure.pieces) {
      if (piece.file == "/src/app/kernels.cpp") piece.offset += 13, piece.line += 1;
      swap_file(piece.file);
    }
    model.sources = {"/src/app/kernels.cpp", "/src/app/other.cpp"};
    record = accept(disk, spec, model, fixture::diffuse_variant(), fixture::faster(), {}).value();
  }
  std::string header = "/src/app/include/heat/kernels.h";
};

TEST_F(HeaderKernelTest, ItsTextStandsInThePlaceOfTheInclude) {
  const auto source = made();
  EXPECT_THAT(source.warnings, testing::IsEmpty());
  EXPECT_EQ(source.kernels, std::vector<std::string>{"heat::diffuse"});
  EXPECT_THAT(source.text, HasSubstr("#line 11 \"" + header + "\"\nvoid diffuse("));
  EXPECT_THAT(source.text, HasSubstr("#line 3 \"/src/app/kernels.cpp\"\nint one()"));
  EXPECT_THAT(source.text, testing::Not(HasSubstr("#include \"heat/kernels.h\"")));
  EXPECT_THAT(source.inputs, testing::Contains(fs::path(header)));
  EXPECT_THAT(Json(load(disk, record)->record)["sources"], Json({"kernels.cpp", "other.cpp"}));
}

TEST_F(HeaderKernelTest, ASourceThatNoLongerIncludesItIsBuiltAsItIs) {
  disk.files["/src/app/kernels.cpp"] = "int one() { return 1; }\n";
  expect_original("/src/app/kernels.cpp no longer includes " + header + " itself");
}

TEST_F(IntegrateTest, InstantiationsOfOneTemplateStandSideBySide) {
  auto &text = disk.files["/src/app/kernels.cpp"];
  text = replaced(text, "void diffuse(", "template <class T> void diffuse(");
  const auto accepted = [&](const std::string &type) {
    Model model = fixture::diffuse_model("/src/app");
    model.name = "heat::diffuse<" + type + ">", model.slug = "heat.diffuse-" + type;
    model.template_arguments = {{"T", "type", "", type}};
    model.anchor.text = "template <class T> " + model.anchor.text;
    model.closure.pieces.back() = fixture::piece(text, "/src/app/kernels.cpp", "heat::diffuse", "kernel", "template", "\n}");
    return accept(disk, spec, model, fixture::diffuse_variant(), fixture::faster(), {}).value();
  };
  request.records = {accepted("float"), accepted("double")};
  auto source = made();
  EXPECT_THAT(source.warnings, testing::IsEmpty());
  EXPECT_THAT(source.kernels, testing::ElementsAre("heat::diffuse<float>", "heat::diffuse<double>"));
  EXPECT_THAT(source.text, HasSubstr("{ KOPT_DISPATCH_heat_diffuse_float KOPT_DISPATCH_heat_diffuse_double\n"));
  EXPECT_THAT(source.text, HasSubstr("using T = double;"));
  request.records.push_back(record); // stale: an ordinary function's
  EXPECT_EQ(made().warnings.size(), 1U);
}

TEST_F(IntegrateTest, AStaleKernelIsBuiltAsItIs) {
  auto &text = disk.files["/src/app/kernels.cpp"];
  text = replaced(text, "weight * (u", "2 * weight * (u");
  expect_original("/src/app/kernels.cpp:10: warning: kopt builds the original of heat::diffuse: the kernel's own text in "
                  "kernels.cpp changed; run `ninja kopt-tune`");
}

TEST_F(IntegrateTest, AStaleHeaderNamesThePiece) {
  disk.files["/src/app/grid.h"] = replaced(fixture::grid_h, "int nx, ny;", "long nx, ny;");
  expect_original("/src/app/grid.h:3: warning: kopt builds the original of heat::diffuse: type Grid in grid.h changed");
}

TEST_F(IntegrateTest, BadStoresNeverFailTheBuild) {
  const auto good = disk.files;
  disk.files[record] = "{";
  expect_original("broken JSON");
  disk.files = good;
  disk.files[record] = replaced(good.at(record), "\"version\": 1", "\"version\": 9");
  expect_original("version 9 is newer than the version 1");
  disk.files = good;
  disk.files.erase(record);
  expect_original("is missing from the variant store; restore the store from version control (git checkout)");
  disk.files = good;
  disk.files.erase(record.parent_path() / "variant.cpp");
  expect_original("variant.cpp: warning: kopt builds");
  disk.files = good;
  disk.files[record.parent_path() / "variant.cpp"] += "// edited\n";
  expect_original("was changed after it was accepted");
}

TEST_F(IntegrateTest, APlanThatCannotBeDispatchedIsAWarning) {
  Variant variant = fixture::diffuse_variant();
  variant.plan = "require unknown > 3\ncall kopt_variant\n";
  ASSERT_TRUE(accept(disk, spec, fixture::diffuse_model("/src/app"), variant, fixture::faster(), {}));
  expect_original("unknown");
}

TEST_F(IntegrateTest, ARecordOfAnotherSourceIsAWarning) {
  disk.files[record] = replaced(disk.files[record], "\"source\": \"kernels.cpp\"", "\"source\": \"other.cpp\"");
  expect_original("its record is about /src/app/other.cpp");
}

TEST_F(IntegrateTest, TwoRecordsOfOneKernelAreNotBothUsed) {
  request.records.push_back(record);
  const auto source = made();
  EXPECT_EQ(source.kernels.size(), 1U);
  ASSERT_EQ(source.warnings.size(), 1U);
  EXPECT_THAT(source.warnings.front(), HasSubstr("two records are about this kernel"));
}

TEST_F(IntegrateTest, AByteOrderMarkDoesNotEndUpInsideTheText) {
  auto &text = disk.files["/src/app/kernels.cpp"];
  text = "\xEF\xBB\xBF" + text;
  const auto source = made();
  EXPECT_EQ(source.kernels.size(), 1U);
  EXPECT_THAT(source.text, testing::Not(HasSubstr("\xEF\xBB\xBF")));
}

TEST_F(IntegrateTest, OnlyAMissingOriginalIsAnError) {
  disk.files.erase("/src/app/kernels.cpp");
  const auto source = integrate(disk, request);
  ASSERT_FALSE(source);
  EXPECT_THAT(source.error().message(), HasSubstr("/src/app/kernels.cpp: cannot read the source"));
}

TEST(Depfile, EscapesWhatMakeWould) {
  EXPECT_EQ(depfile("/b/out file.cpp", {"/s/a$b.cpp", "/s/c#.h"}), "/b/out\\ file.cpp: \\\n  /s/a$$b.cpp \\\n  /s/c\\#.h\n");
}

} // namespace
} // namespace kopt
