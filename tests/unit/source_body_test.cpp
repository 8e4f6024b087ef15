// Body: what the model says about small kernels. Each test is a few lines of code and the outline of its model.
#include "source_body_support.h"

#include "core/disk.h"

#include <cstdlib>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kopt::fixture {
namespace {

// tests/models/*.json are read by tests of other parts; they are what the sources beside them give. KOPT_UPDATE_MODELS=1 writes them anew.
TEST(Models, AreUpToDate) {
  RealDisk disk;
  int seen = 0;
  for (const auto &entry : std::filesystem::directory_iterator(KOPT_MODELS)) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string name = entry.path().stem().string();
    const auto code = disk.read(entry.path());
    ASSERT_TRUE(code) << name;
    const Json json = model_of(*code, name);
    const std::string text = json.dump(2) + "\n";
    fs::path path = entry.path();
    path.replace_extension(".json");
    if (std::getenv("KOPT_UPDATE_MODELS")) {
      ASSERT_TRUE(disk.write(path, text));
    }
    EXPECT_EQ(disk.read(path).value_or(""), text) << name;
    ++seen;
  }
  EXPECT_GE(seen, 11);
}

} // namespace
} // namespace kopt::fixture
