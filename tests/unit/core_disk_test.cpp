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

} // namespace
} // namespace kopt
