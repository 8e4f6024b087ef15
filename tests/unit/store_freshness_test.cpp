#include "store/freshness.h"

#include "store_fixture.h"

#include <gmock/gmock.h>

namespace kopt {
namespace {

using fixture::replaced;
using testing::HasSubstr;

class FreshnessTest : public testing::Test {
protected:
  MemoryDisk disk;
  Spec spec = fixture::heat_spec("/src/app");
  fs::path record_path = fixture::lay_out(disk, spec);
  std::string &source = disk.files["/src/app/kernels.cpp"];
  std::string &header = disk.files["/src/app/grid.h"];

  Result<long> check() {
    Sources sources(disk);
    return check_fresh(sources, read_record(disk, record_path).value(), spec.directory);
  }
  void expect_fresh() {
    const auto offset = check();
    ASSERT_TRUE(offset) << offset.error().message();
    EXPECT_EQ(source.compare(static_cast<std::size_t>(*offset), 12, "void diffuse"), 0);
  }
  void expect_stale(const std::string &what, const std::string &where) {
    const auto offset = check();
    ASSERT_FALSE(offset);
    EXPECT_EQ(offset.error().what, what);
    EXPECT_EQ(offset.error().where, where);
    EXPECT_THAT(offset.error().remedy, HasSubstr("kopt-tune"));
  }
};

TEST_F(FreshnessTest, UntouchedSourcesAreFresh) { expect_fresh(); }

TEST_F(FreshnessTest, AnEditInTheKernelIsStale) {
  source = replaced(source, "weight * (u", "2 * weight * (u");
  expect_stale("the kernel's own text in kernels.cpp changed", "/src/app/kernels.cpp:10");
}

TEST_F(FreshnessTest, AnEditOfItsSignatureIsStale) {
  source = replaced(source, "double *next) {", "double *next, int) {");
  expect_stale("the kernel's own text in kernels.cpp changed", "/src/app/kernels.cpp:10");
}

TEST_F(FreshnessTest, AnEditInAStructIsStaleAndNamesIt) {
  header = replaced(header, "int nx, ny;", "long nx, ny;");
  expect_stale("type Grid in grid.h changed", "/src/app/grid.h:3");
}

TEST_F(FreshnessTest, AnEditOfAConstantIsStale) {
  source = replaced(source, "0.25", "0.26");
  expect_stale("variable heat::weight in kernels.cpp changed", "/src/app/kernels.cpp:6");
}

TEST_F(FreshnessTest, EditsElsewhereStayFresh) {
  source = replaced(source, "return 1;", "return 2000;") + "int more();\n";
  header = "// A comment that moves everything.\n" + header + "struct Other {};\n";
  expect_fresh();
}

TEST_F(FreshnessTest, AMovedKernelStaysFresh) {
  const auto begin = source.find("void diffuse"), end = source.find("\n}", begin) + 2;
  const auto kernel = source.substr(begin, end - begin);
  source = source.substr(0, begin) + source.substr(end);
  source = replaced(source, "int version()", kernel + "\n\nint version()");
  expect_fresh();
}

TEST_F(FreshnessTest, AnIndentedKernelStaysFreshWhereItsOwnTextDoes) {
  source = replaced(source, "void diffuse", "   void diffuse");
  expect_fresh();
}

TEST_F(FreshnessTest, AKernelBehindAnotherDeclarationOnItsLineStaysFresh) {
  source = replaced(source, "void diffuse", "struct Early {}; void diffuse");
  expect_fresh();
}

TEST_F(FreshnessTest, OfTwoKernelsUnderIfTheNearestToTheRecordedPlaceIsMeant) {
  const auto begin = source.find("void diffuse"), end = source.find("\n}", begin) + 2;
  const auto kernel = source.substr(begin, end - begin);
  const auto one = "#if 1\n" + kernel + "\n#else\n" + kernel + "\n#endif\n";
  source = source.substr(0, begin) + one + source.substr(end);
  const auto offset = check();
  ASSERT_TRUE(offset) << offset.error().message();
  EXPECT_EQ(*offset, static_cast<long>(begin + 6));
}

TEST_F(FreshnessTest, TheAlternativeUnderIfMayChange) {
  const auto begin = source.find("void diffuse"), end = source.find("\n}", begin) + 2;
  const auto kernel = source.substr(begin, end - begin);
  source = source.substr(0, begin) + "#if 0\n" + replaced(kernel, "weight", "2") + "\n#else\n" + kernel + "\n#endif\n" +
           source.substr(end);
  const auto offset = check();
  ASSERT_TRUE(offset) << offset.error().message();
  EXPECT_EQ(static_cast<std::size_t>(*offset), source.rfind("void diffuse"));
}

TEST_F(FreshnessTest, AKernelInACommentIsNoKernel) {
  source = replaced(source, "void diffuse", "/*\nvoid diffuse") + "*/";
  expect_stale("the kernel's definition changed", "/src/app/kernels.cpp:10");
}

TEST_F(FreshnessTest, AMissingHeaderIsStale) {
  disk.files.erase("/src/app/grid.h");
  expect_stale("type Grid in grid.h is gone: the file cannot be read", "/src/app/grid.h:3");
}

TEST_F(FreshnessTest, ARecordWithoutTheKernelItselfIsNotTrusted) {
  auto record = read_record(disk, record_path).value();
  record.pieces.pop_back();
  Sources sources(disk);
  const auto offset = check_fresh(sources, record, spec.directory);
  ASSERT_FALSE(offset);
  EXPECT_THAT(offset.error().what, HasSubstr("does not hold the kernel's own text"));
}

TEST(FindPiece, TheNearestOccurrenceWins) {
  const std::string text = "int a;\nint b;\nint a;\n";
  const Piece piece{"a", "variable", "f", 1, 0, 6, hash_of("int a;")};
  EXPECT_EQ(find_piece(text, piece, 1), 0);
  EXPECT_EQ(find_piece(text, piece, 13), 14);
  EXPECT_EQ(find_piece("", piece, 0), std::nullopt);
}

} // namespace
} // namespace kopt
