#include "core/disk.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kopt {
namespace {

class DiskTest : public ::testing::Test {
protected:
  DiskTest() : folder(fs::temp_directory_path() / ("kopt_disk_test_" + std::to_string(::getpid()))) {
    fs::create_directories(folder);
  }
  ~DiskTest() override { fs::remove_all(folder); }
  fs::path folder;
  RealDisk disk;
};

TEST_F(DiskTest, WriteCreatesFoldersAndLeavesNoTemporary) {
  ASSERT_TRUE(disk.write(folder / "a/b/c.txt", "hello"));
  EXPECT_EQ(disk.read(folder / "a/b/c.txt").value(), "hello");
  EXPECT_EQ(disk.files_below(folder).size(), 1U);
}

TEST_F(DiskTest, SameContentsKeepTheTimestamp) {
  const fs::path file = folder / "same.txt";
  ASSERT_TRUE(disk.write(file, "x"));
  fs::last_write_time(file, fs::file_time_type{});
  ASSERT_TRUE(disk.write(file, "x"));
  EXPECT_EQ(fs::last_write_time(file), fs::file_time_type{});
  ASSERT_TRUE(disk.write(file, "y"));
  EXPECT_NE(fs::last_write_time(file), fs::file_time_type{});
}

TEST_F(DiskTest, FailuresNameThePath) {
  ASSERT_TRUE(disk.write(folder / "file", "x"));
  const auto below_file = disk.write(folder / "file/child", "x");
  ASSERT_FALSE(below_file);
  EXPECT_NE(below_file.error().message().find((folder / "file").string()), std::string::npos);
  EXPECT_FALSE(disk.read(folder));
  EXPECT_FALSE(disk.read(folder / "none"));
}

TEST_F(DiskTest, FullDiskIsSaidAndKeepsTheOldFile) {
  // /dev/full refuses every write, but cannot be renamed over; a MemoryDisk stands for it elsewhere.
  MemoryDisk full;
  full.files["/a"] = "old";
  full.refuse_writes = true;
  EXPECT_FALSE(full.write("/a", "new"));
  EXPECT_EQ(full.read("/a").value(), "old");
}

TEST_F(DiskTest, ReplacesAFolderAsAWhole) {
  const fs::path entry = folder / "made/entry", aside = folder / ".aside";
  ASSERT_TRUE(disk.replace_folder(entry, {{"a", "1"}, {"sub/b", "2"}}, aside, "a"));
  EXPECT_EQ(disk.read(entry / "sub/b").value(), "2");
  ASSERT_TRUE(disk.write(aside / "left", "by a killed process"));
  ASSERT_TRUE(disk.replace_folder(entry, {{"a", "3"}}, aside, "a"));
  EXPECT_EQ(disk.files_below(folder), (std::vector<fs::path>{entry / "a"}));
  EXPECT_EQ(disk.read(entry / "a").value(), "3");
  EXPECT_FALSE(disk.exists(aside));
}

TEST_F(DiskTest, AFolderThatCannotBeExchangedIsReplacedFileByFile) {
  ASSERT_TRUE(disk.write(folder / "entry/a", "1"));
  ASSERT_TRUE(disk.write(folder / "entry/old", "1"));
  // Two file systems cannot exchange folders.
  const fs::path aside = fs::path("/dev/shm") / ("kopt_disk_test_" + std::to_string(::getpid()));
  if (!fs::exists("/dev/shm")) GTEST_SKIP() << "no second file system here";
  ASSERT_TRUE(disk.replace_folder(folder / "entry", {{"a", "2"}, {"b", "3"}}, aside, "a"));
  EXPECT_EQ(disk.files_below(folder), (std::vector<fs::path>{folder / "entry/a", folder / "entry/b"}));
  EXPECT_EQ(disk.read(folder / "entry/a").value(), "2");
  EXPECT_FALSE(disk.exists(aside));
}

TEST(MemoryDisk, FillsUp) {
  MemoryDisk disk;
  disk.space = 5;
  ASSERT_TRUE(disk.write("/a", "1234"));
  const auto full = disk.write("/b", "12");
  ASSERT_FALSE(full);
  EXPECT_NE(full.error().message().find("No space left"), std::string::npos);
  EXPECT_NE(full.error().remedy.find("free some space"), std::string::npos);
}

} // namespace
} // namespace kopt
