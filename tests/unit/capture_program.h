// Programs for tests of capturing: compiled as the package compiles an instrumented application, run, and their recordings made
// cases of.
#pragma once

#include "core/disk.h"
#include "core/process.h"
#include "mep/capture.h"
#include "model_fixture.h"

#include <cstdlib>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kopt::fixture {

// As cmake/KernelOpt/KernelOptCapture.cmake compiles probed sources with g++.
inline const std::string sanitized = "-fsanitize=address --param=asan-instrument-reads=0 --param=asan-instrument-writes=0";

class InstrumentedProgram {
public:
  InstrumentedProgram() {
    std::string pattern = (fs::temp_directory_path() / "kopt-capture-XXXXXX").string();
    folder = mkdtemp(pattern.data());
  }
  ~InstrumentedProgram() { fs::remove_all(folder); }
  InstrumentedProgram(const InstrumentedProgram &) = delete;
  InstrumentedProgram &operator=(const InstrumentedProgram &) = delete;

  // `source` is compiled with `flags`, `other`, if there is any, without; both are linked with the recorder.
  void build(const std::string &source, const std::string &other, const std::string &flags, const std::string &name) const {
    RealDisk disk;
    ASSERT_TRUE(disk.write(folder / "demo.cpp", source));
    ASSERT_TRUE(disk.write(folder / "other.cpp", other));
    compile("-std=c++17 -O2 -pthread " + flags + " -c demo.cpp -o demo.o");
    compile("-std=c++17 -O2 -c other.cpp -o other.o");
    compile("-std=c++11 -Wall -Wextra -Werror -O2 -pthread " KOPT_TEST_RUNTIME " demo.o other.o -o " + name + " " +
            flags.substr(0, flags.find(' ')));
  }

  // Runs it in a mode. `wrapper`: words of a command that runs it, such as a shell with limits.
  [[nodiscard]] Outcome run(const std::string &name, const std::string &mode,
                            std::map<std::string, std::string> environment = {}, std::vector<std::string> wrapper = {}) const {
    fs::remove_all(folder / "recordings");
    fs::create_directories(folder / "recordings");
    environment.emplace("KOPT_CAPTURE_DIR", (folder / "recordings").string());
    environment["ASAN_OPTIONS"] = "detect_leaks=0:handle_abort=0:handle_segv=0";
    wrapper.insert(wrapper.end(), {(folder / name).string(), mode});
    RealProcesses processes;
    auto outcome = processes.run({wrapper, "", environment, {}, std::chrono::seconds(60), false});
    return outcome ? *outcome : Outcome{1, 0, false, "", outcome.error().message(), 0};
  }

  // The cases recorded for a kernel, as `kopt mep` reads them.
  std::vector<Case> cases(const Model &model, KernelCapture &capture) const {
    RealDisk disk;
    fs::remove_all(folder / "cases");
    auto converted = convert_recordings(disk, folder / "recordings", model, folder / "cases");
    EXPECT_TRUE(converted) << converted.error().message();
    capture = converted ? *converted : KernelCapture{};
    if (capture.cases.empty()) return {};
    auto read = read_cases(disk, folder / "cases" / "cases.json", model);
    EXPECT_TRUE(read) << read.error().message();
    return read ? *read : std::vector<Case>{};
  }

  fs::path folder;

private:
  void compile(const std::string &arguments) const {
    RealProcesses processes;
    auto outcome = processes.run({shell_split(KOPT_TEST_CXX " " + arguments), folder.string(), {}, {}, std::nullopt, false});
    ASSERT_TRUE(outcome && outcome->succeeded()) << outcome->errors;
  }
};

template <typename T> std::vector<T> values_of(const std::vector<std::uint8_t> &bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

} // namespace kopt::fixture
