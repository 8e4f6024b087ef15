// Kernels in headers: the text that takes the place of an #include compiles and keeps the lines of both files.
#include "mep/header.h"

#include "core/include.h"
#include "core/process.h"

#include <gmock/gmock.h>
#include <unistd.h>

namespace kopt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class HeaderTest : public testing::Test {
protected:
  void SetUp() override { write("include/lib/factor.h", "#define FACTOR 3\n"); }
  void TearDown() override { fs::remove_all(folder); }
  void write(const std::string &file, const std::string &text) { ASSERT_TRUE(disk.write(folder / file, text)); }

  // The source with `++count;` at the head of scale() in the header.
  std::string integrated(const std::string &source, const std::string &header) {
    write("include/lib/scale.h", header);
    write("app/main.cpp", source);
    const std::string anchor = "inline int scale(int n) {";
    Edits inside, edits;
    inside.add(static_cast<long>(header.find(anchor)), static_cast<long>(anchor.size()), {"static int count;\n", " ++count;"});
    const auto done =
        put_in_header(disk, source, folder / "app/main.cpp", folder / "include/lib/scale.h", header, inside, edits);
    EXPECT_TRUE(done) << done.error().message();
    return edits.apply(source, (folder / "app/main.cpp").string());
  }

  int run(const std::string &text) {
    const auto source = folder / "build/main.cpp", program = folder / "build/main";
    EXPECT_TRUE(disk.write(source, text));
    const auto built = RealProcesses().run({{"g++", "-std=c++11", "-Wall", "-Wextra", "-Werror", "-I", folder / "include",
                                             "-iquote", folder / "app", "-o", program, source},
                                            {},
                                            {},
                                            {},
                                            {},
                                            false});
    diagnosis = built->errors;
    return built->succeeded() ? RealProcesses().run({{program}, {}, {}, {}, {}, false})->exit_code : -1;
  }

  RealDisk disk;
  fs::path folder = fs::path(testing::TempDir()) / ("header-" + std::to_string(getpid()));
  std::string diagnosis;
};

const std::string body =
    "#include \"factor.h\"\ninline int scale(int n) {\n  return FACTOR * n; }\ninline int line() { return __LINE__; }\n";
const std::string uses = "#include \"lib/scale.h\" // here\nint main() {\n  return scale(2) == 6 && count == 1 && line() == 5 "
                         "&& __LINE__ == 3 ? 0 : 1; }\n";

TEST_F(HeaderTest, StandsInThePlaceOfItsInclude) {
  EXPECT_EQ(run(integrated(uses, "#pragma once\n" + body)), 0) << diagnosis;
  EXPECT_EQ(run(integrated("#include <lib/scale.h>\n#include \"../include/lib/scale.h\"\nint main() {\n  return scale(2) == 6 "
                           "&& count == 1 && __LINE__ == 4 ? 0 : 1; }\n",
                           "#ifndef SCALE_H\n#define SCALE_H\n" + body + "#endif\n")),
            0)
      << diagnosis;
  EXPECT_EQ(
      run(integrated(
          "#include \"lib/scale.h\"\n#include \"lib/scale.h\"\nint main() { return scale(2) == 6 && count == 1 ? 0 : 1; }\n",
          "#pragma once\n" + body)),
      0)
      << diagnosis;
}

TEST_F(HeaderTest, ErrorsNameTheHeadersOwnLines) {
  EXPECT_EQ(run(integrated(uses + "int wrong = oops;\n", "#pragma once\n" + body + "\nint bad = nothing;\n")), -1);
  EXPECT_THAT(diagnosis, HasSubstr("scale.h:7:"));
  EXPECT_THAT(diagnosis, HasSubstr("main.cpp:4:"));
}

TEST_F(HeaderTest, IsMissedWhereItIsNotIncluded) {
  Edits none;
  const std::string source = "#include \"other.h\"\n";
  const auto done = put_in_header(disk, source, "/app/main.cpp", "/include/scale.h", "", {}, none);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message(), HasSubstr("/app/main.cpp no longer includes /include/scale.h itself"));
}

TEST_F(HeaderTest, IncludeLinesAreThoseOfCode) {
  std::vector<std::string> spelled;
  for (const IncludeLine &line : include_lines("// #include \"a.h\"\n  # include \"b.h\"\nconst char *s = \"#include "
                                               "<c.h>\";\n#include <d.h> // e\n/*\n#include \"f.h\"\n*/"))
    spelled.push_back(line.spelled + ":" + std::to_string(line.line) + (line.quoted ? "q" : ""));
  EXPECT_THAT(spelled, ElementsAre("b.h:2q", "d.h:4"));
}

TEST_F(HeaderTest, AFileBesideTheSourceIsAnother) {
  write("app/scale.h", "");
  write("scale.h", "");
  EXPECT_EQ(lines_that_include(disk, "#include \"scale.h\"\n", folder / "app/main.cpp", folder / "scale.h").size(), 0U);
  EXPECT_EQ(lines_that_include(disk, "#include \"scale.h\"\n", folder / "app/main.cpp", folder / "app/scale.h").size(), 1U);
  EXPECT_EQ(lines_that_include(disk, "#include <scale.h>\n", folder / "app/main.cpp", folder / "scale.h").size(), 1U);
}

} // namespace
} // namespace kopt
