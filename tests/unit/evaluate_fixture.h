// A kernel, its cases and its shared objects, for tests of judging.
#pragma once

#include "core/process.h"
#include "evaluate/judge.h"
#include "mep/source.h"

#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace kopt::testing {

inline Leaf leaf_of(std::string path, int parameter, std::string type, std::string category, int size, std::string kind,
                    std::string access) {
  Leaf leaf;
  leaf.path = std::move(path);
  leaf.origin = parameter < 0 ? "result" : "parameter";
  leaf.parameter = parameter;
  leaf.kind = std::move(kind);
  leaf.element = Element{type, std::move(category), size, true, {}};
  if (leaf.is_pointer()) leaf.pointer_type = (access == "read" ? "const " : "") + type + " *";
  leaf.access = std::move(access);
  return leaf;
}

// app::smooth: y[i] from eight neighbours in x, counts positive results, returns the largest.
inline Model smooth_model() {
  Model model;
  model.name = "app::smooth";
  model.slug = "app.smooth";
  model.target = "app";
  model.return_type = "double";
  model.namespaces = {"app"};
  model.parameters = {{"n", "int", "value", "int", 4, 4, {0}},
                      {"a", "double", "value", "double", 8, 8, {1}},
                      {"x", "const double *", "value", "const double *", 8, 8, {2}},
                      {"y", "double *", "value", "double *", 8, 8, {3}},
                      {"positive", "long *", "value", "long *", 8, 8, {4}}};
  model.leaves = {leaf_of("n", 0, "int", "integer", 4, "scalar", "read"),
                  leaf_of("a", 1, "double", "float", 8, "scalar", "read"),
                  leaf_of("x", 2, "double", "float", 8, "pointer", "read"),
                  leaf_of("y", 3, "double", "float", 8, "pointer", "write"),
                  leaf_of("positive", 4, "long", "integer", 8, "pointer", "readwrite"),
                  leaf_of("return", -1, "double", "float", 8, "scalar", "write")};
  const std::string anchor = "double smooth(int n, double a, const double *x, double *y, long *positive) {";
  model.closure.text =
      "namespace app {\ndouble smooth(int n, double a, const double *x, double *y, long *positive);\n" + anchor + R"(
  double largest = 0;
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int k = 0; k < 8; ++k) sum += x[i + k] / (1 + a * a);
    y[i] = sum;
    if (sum > largest) largest = sum;
    if (sum > 0) ++*positive;
  }
  return largest;
}
} // namespace app
)";
  model.closure.anchor_offset = static_cast<long>(model.closure.text.find(anchor));
  model.closure.anchor_length = static_cast<long>(anchor.size());
  model.anchor = {"smooth.cpp", model.closure.anchor_offset, model.closure.anchor_length, 2, "", anchor};
  return model;
}

template <typename T> Bytes bytes_of(const std::vector<T> &values) {
  Bytes bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

inline Case smooth_case(const std::string &name, int n, bool held_out = false) {
  std::vector<double> x(static_cast<std::size_t>(n) + 8);
  Random random(7);
  for (double &value : x) value = 2 * random.uniform() - 1;
  Case kase;
  kase.name = name;
  kase.held_out = held_out;
  kase.origin = "user";
  kase.buffers = {{bytes_of(x), {}},
                  {bytes_of(std::vector<double>(static_cast<std::size_t>(n))), {}},
                  {bytes_of(std::vector<long>{5}), {}}};
  kase.arguments = {{bytes_of(std::vector<int>{n}), {}, 0},
                    {bytes_of(std::vector<double>{0.5}), {}, 0},
                    {{}, 0, 0},
                    {{}, 1, 0},
                    {{}, 2, 0},
                    {{}, {}, 0}};
  return kase;
}

// Compiles sources into shared objects in a folder that goes away.
class Workshop {
public:
  Workshop() {
    std::string pattern = (fs::temp_directory_path() / "kopt-evaluate-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~Workshop() { fs::remove_all(folder_); }

  fs::path compile(const std::string &name, const std::string &source) {
    const fs::path file = folder_ / (name + ".cpp"), object = folder_ / (name + ".so");
    EXPECT_TRUE(disk_.write(file, source).has_value());
    RealProcesses processes;
    Command command;
    command.words = {KOPT_TEST_CXX, "-std=c++17", "-O2", "-w", "-shared", "-fPIC", "-fvisibility=hidden", "-fno-gnu-unique"};
    command.words.insert(command.words.end(), flags.begin(), flags.end());
    command.words.insert(command.words.end(), {file.string(), "-o", object.string()});
    const auto outcome = processes.run(command);
    const bool compiled = outcome && outcome->succeeded();
    EXPECT_TRUE(compiled || !must_compile) << (outcome ? outcome->errors : outcome.error().message());
    return object;
  }
  std::vector<std::string> flags; // besides the usual ones
  bool must_compile = true;       // false: what is refused before it is loaded need not compile

  fs::path baseline(const Model &model) { return compile("baseline", baseline_source(model)); }

  Candidate candidate(const Model &model, const std::string &name, const std::string &text,
                      const std::string &plan = "call kopt_variant\n") {
    Variant variant;
    variant.text = text;
    variant.plan = plan;
    const auto source = candidate_source(model, variant);
    EXPECT_TRUE(source.has_value()) << (source ? "" : source.error().message());
    Candidate candidate;
    candidate.object = compile(name, source.value_or(""));
    candidate.text = text;
    return candidate;
  }
  RealDisk &disk() { return disk_; }

private:
  RealDisk disk_;
  fs::path folder_;
};

// Short times: tests wait for candidates that hang.
inline JudgeSettings test_settings() {
  JudgeSettings settings;
  settings.launcher.words = {KOPT_TEST_RUNNER};
  settings.minimum_patience = 0.5;
  settings.quick_seconds = 0.1;
  settings.full_seconds = 1;
  settings.seed = 42;
  return settings;
}

} // namespace kopt::testing
