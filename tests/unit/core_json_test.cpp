#include "core/json.h"

#include <gtest/gtest.h>

namespace kopt {
namespace {

TEST(Document, RefusesANewerVersionNamingBoth) {
  MemoryDisk disk;
  disk.files["/r.json"] = R"({"format": "kopt-record", "version": 7})";
  const auto document = read_document(disk, "/r.json", "kopt-record", 1);
  ASSERT_FALSE(document);
  EXPECT_NE(document.error().what.find("version 7 is newer than the version 1"), std::string::npos);
  EXPECT_EQ(document.error().where, "/r.json");
}

TEST(Document, BrokenJsonNamesFileLineAndColumn) {
  MemoryDisk disk;
  disk.files["/r.json"] = "{\n  \"format\": oops\n}";
  const auto document = read_document(disk, "/r.json", "kopt-record", 1);
  ASSERT_FALSE(document);
  EXPECT_NE(document.error().message().find("line 2, column 13"), std::string::npos) << document.error().message();
}

TEST(Document, ForeignOrMissingFilesAreErrors) {
  MemoryDisk disk;
  disk.files["/a.json"] = "[]";
  disk.files["/b.json"] = R"({"format": "other", "version": 1})";
  EXPECT_FALSE(read_document(disk, "/a.json", "kopt-record", 1));
  EXPECT_FALSE(read_document(disk, "/b.json", "kopt-record", 1));
  EXPECT_FALSE(read_document(disk, "/c.json", "kopt-record", 1));
}

} // namespace
} // namespace kopt
