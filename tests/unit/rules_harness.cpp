#include "rules_harness.h"

#include "core/disk.h"
#include "core/process.h"

#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace kopt::fixture {

namespace {

constexpr const char *prologue = R"cpp(
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>
)cpp";

// Numbers that are exact in few bits, so that sums are not all the same however they are added.
constexpr const char *comparison = R"cpp(
template <typename T> struct Arrays {
  std::vector<T> x, y, z;
  Arrays(long a, long b, long c) : x(a > 0 ? a : 0), y(b > 0 ? b : 0), z(c > 0 ? c : 0) {
    unsigned state = 1;
    for (auto *array : {&x, &y, &z})
      for (T &value : *array) value = T((state = state * 1664525u + 1013904223u) >> 8) / T(1 << 20) - T(7);
  }
};
template <typename T> bool same(const std::vector<T> &a, const std::vector<T> &b, bool exact) {
  if (exact) return a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::memcmp(&a[i], &b[i], sizeof(T)) != 0 && !(std::fabs(double(a[i]) - double(b[i])) <= (sizeof(T) == 4 ? 1e-3 : 1e-9) * (1 + std::fabs(double(a[i]))))) return false;
  return true;
}
)cpp";

std::string variant_copy(const Proposal &proposal, size_t number, const std::string &value) {
  std::string text = fmt::format("namespace kopt_v{}{} {{\n", number, value.empty() ? "" : "s");
  for (const ParameterRange &range : proposal.tunables)
    if (!value.empty()) text += fmt::format("#define {} {}\n", range.macro, value);
  text += proposal.variant.text;
  for (const ParameterRange &range : proposal.tunables) text += fmt::format("#undef {}\n", range.macro);
  return text + "}\n";
}

std::string comparing(const Subject &subject, const std::string &function, const std::string &label, bool exact) {
  const std::string keep = subject.returns ? "result = " : "";
  return fmt::format(R"cpp(
  {{
    Arrays<{0}> expected({1}, {2}, {3}), actual({1}, {2}, {3});
    auto run = [&](auto f, Arrays<{0}> &arrays) {{
      double result = 0;
      auto *x = arrays.x.data(); auto *y = arrays.y.data(); auto *z = arrays.z.data();
      (void)x; (void)y; (void)z;
      {4}{5};
      return result;
    }};
    std::vector<double> a{{run(KERNEL, expected)}}, b{{run({6}, actual)}};
    if (!same(a, b, {8}) || !same(expected.x, actual.x, {8}) || !same(expected.y, actual.y, {8}) || !same(expected.z, actual.z, {8}))
      std::printf("variant {7} differs at p = %d, q = %d\n", p, q);
  }}
)cpp",
                     subject.type, subject.x, subject.y, subject.z, keep, subject.call, function, label, exact);
}

} // namespace

const std::vector<Subject> &subjects() {
  static const std::vector<Subject> all{
      {"column_means", "double", "p * q", "q", "0", "f(p, q, x, y)"},
      {"columns_times_vector", "double", "p * q", "p", "q", "f(p, q, x, y, z)"},
      {"covariance", "double", "p * q", "p * p", "0", "f(p, q, x, y)"},
      {"dot", "double", "p", "p", "0", "f(p, x, y)", true},
      {"elimination", "double", "p * p", "0", "0", "f(p, x)"},
      {"fields", "double", "p * q", "p * q", "0",
       "f(p, q, Field{static_cast<unsigned long>(q), x}, Field{static_cast<unsigned long>(q), y})"},
      {"flux", "double", "3 * p * q", "p * q", "p * q", "f(p, q, 0.5, x, y, z)"},
      {"gauss_seidel", "double", "p * q", "0", "0", "f(p, q, x)"},
      {"grid_helper", "double", "p * q", "p * q", "0", "f(Grid{p, q, 0.25}, x, y, 0.125)"},
      {"guarded_steps", "double", "q", "q", "0", "f(p, q, x, y)"},
      {"jacobi", "double", "p * q", "p * q", "0", "f(6, p, q, x, y)"},
      {"local_index", "double", "p * q", "p * q", "0", "f(p, q, x, y)"},
      {"matmul", "double", "p * p", "p * p", "p * p", "f(p, x, y, z)"},
      {"matmul_dot", "double", "p * (p + 1)", "(p + 1) * q", "p * q", "f(p, p + 1, q, x, y, z)"},
      {"max_difference", "double", "p * q", "p * q", "0", "f(p * q, x, y)", true},
      {"products_both_ways", "double", "p * p", "p * q", "p * q", "f(p, q, 0.5, x, y, z)"},
      {"read_both_ways", "double", "p * p", "p", "q * p", "f(p, p, q, x, y, z)", true},
      {"row_sums", "double", "p * q", "q", "2 * p", "f(p, q, x, y, z, z + p)"},
      {"scaled_rows", "double", "p * q", "q", "q > 0 ? p : 0", "f(p, q, x, y, z)"},
      {"shift_in_place", "double", "p * q", "0", "0", "f(p, q, x)"},
      {"stencil", "double", "p * q", "p * q", "0", "f(p, q, 0.125, x, y)"},
      {"stencil_strided", "double", "p * q", "p * q", "0", "f(p, q, 0.125, x, y)"},
      {"tensor_rows", "float", "2 * p * q", "q * q", "2 * p * q", "f(2, p, q, x, y, z)"},
      {"time_steps", "double", "q", "q", "0", "f(p, q, x, y)"},
      {"total", "double", "p * q", "0", "0", "f(p, q, x)", true},
      {"transpose", "double", "p * q", "p * q", "0", "f(p, q, x, y)"},
      {"triangular", "double", "p * q", "p * p", "0", "f(p, q, x, y)"},
      {"waves_in_time", "double", "q + 1", "q", "p", "f(p, q, x, y, z)"},
      {"waves", "double", "p + 1", "p + 1", "q + 1", "f(q, p + 1, x, y, z)"},
      {"wave", "float", "p * q * 3", "p * q * 3", "0", "f(p, q, 3, x, y)"},
  };
  return all;
}

Model model_named(const std::string &name) {
  const RealDisk disk;
  auto model = read_model(disk, fs::path(KOPT_MODELS) / (name + ".json"));
  EXPECT_TRUE(model) << (model ? "" : model.error().message());
  return model ? *model : Model{};
}

std::string program_for(const Subject &subject, const Model &model, const std::vector<Proposal> &proposals) {
  std::string text = prologue, variants, checks;
  for (size_t i = 0; i < proposals.size(); ++i) {
    const bool exact = proposals[i].summary.find("another order") == std::string::npos;
    const std::string scope = model.namespaces.empty() ? "" : model.namespaces.front() + "::";
    for (const char *value : {"", "3"}) {
      variants += variant_copy(proposals[i], i, value);
      const std::string space = fmt::format("kopt_v{}{}", i, *value ? "s" : "");
      checks += comparing(subject, scope + space + "::kopt_variant",
                          fmt::format("{} ({}) {}", i, proposals[i].summary, *value ? "small" : ""), exact);
    }
  }
  const auto anchor = static_cast<size_t>(model.closure.anchor_offset);
  text += model.closure.text.substr(0, anchor) + variants + model.closure.text.substr(anchor) + comparison;
  text += fmt::format("#define KERNEL {}\nstatic void at(int p, int q) {{{}}}\n", model.name, checks);
  return text + R"cpp(
int main() {
  const int sizes[] = {0, 1, 2, 3, 5, 17, 33, 70};
  for (int p : sizes) for (int q : sizes) at(p, q);
  std::puts("done");
}
)cpp";
}

std::string output_of(const std::string &program, const std::string &name) {
  const fs::path folder = fs::temp_directory_path() / fmt::format("kopt-rules-{}-{}", name, getpid());
  fs::create_directories(folder);
  std::ofstream(folder / "program.cpp") << program;
  const std::string compile = fmt::format(
      "cd '{}' && g++ -std=c++17 -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -ffp-contract=off program.cpp "
      "-o program > log 2>&1 && ./program >> log 2>&1; echo \"exit $?\" >> log",
      folder.string());
  const int status = std::system(compile.c_str());
  EXPECT_EQ(status, 0);
  std::ifstream log(folder / "log");
  std::string output((std::istreambuf_iterator<char>(log)), std::istreambuf_iterator<char>());
  fs::remove_all(folder);
  return output;
}

} // namespace kopt::fixture
