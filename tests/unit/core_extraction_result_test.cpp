#include "core/extraction_result.h"

#include <gtest/gtest.h>

namespace kopt {
namespace {

class ExtractionResultTest : public testing::Test {
protected:
  ExtractionResultTest() {
    spec.work_dir = "/build/kopt/app";
    disk.files["/src/a.cpp"] = "int a;";
    disk.files["/src/b h.h"] = "int b;";
    FileHashes hashes(disk);
    result.kernel = "ns::a";
    for (const char *file : {"/src/a.cpp", "/src/b h.h", "/src/gone.h"}) result.inputs[file] = hashes.of(file);
  }
  bool holds() {
    FileHashes hashes(disk);
    return result.holds(hashes);
  }
  MemoryDisk disk;
  Spec spec;
  ExtractionResult result;
};

TEST_F(ExtractionResultTest, HoldsWhileItsInputsAreAsTheyWere) {
  EXPECT_TRUE(holds());
  disk.files["/src/other.cpp"] = "int other;";
  EXPECT_TRUE(holds());
  disk.files["/src/b h.h"] = "long b;";
  EXPECT_FALSE(holds());
  disk.files["/src/b h.h"] = "int b;"; // the edit undone: its time does not matter
  EXPECT_TRUE(holds());
  disk.files["/src/gone.h"] = "";
  EXPECT_FALSE(holds()) << "a file that was not there may change everything";
}

TEST_F(ExtractionResultTest, WithoutInputsItHoldsNever) {
  result.inputs.clear();
  EXPECT_FALSE(holds());
}

TEST_F(ExtractionResultTest, ReadsBack) {
  result.error = Error{"what", "where", "remedy"};
  ASSERT_TRUE(write_extraction(disk, spec, result));
  const auto read = read_extraction(disk, spec, "ns::a");
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->inputs, result.inputs);
  ASSERT_TRUE(read->error);
  EXPECT_EQ(read->error->message(), result.error->message());
}

TEST_F(ExtractionResultTest, AFailureLeavesNoModelOfWhatTheSourceWas) {
  disk.files["/build/kopt/app/ns.a/model.json"] = "{}";
  ASSERT_TRUE(write_extraction(disk, spec, result));
  EXPECT_TRUE(disk.exists("/build/kopt/app/ns.a/model.json"));
  result.error = Error{"what", "", ""};
  ASSERT_TRUE(write_extraction(disk, spec, result));
  EXPECT_FALSE(disk.exists("/build/kopt/app/ns.a/model.json"));
}

TEST_F(ExtractionResultTest, TheBuildToolWatchesItsInputs) {
  EXPECT_EQ(depfile_of("/b/stamp", {result}), "/b/stamp: \\\n  /src/a.cpp \\\n  /src/b\\ h.h\n");
}

} // namespace
} // namespace kopt
