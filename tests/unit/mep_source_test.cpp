// Compiles baselines and candidates with the real compiler, loads them and calls them, as the judge does.
#include "mep/source.h"

#include "model_fixture.h"
#include "platform/host.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <numeric>
#include <unistd.h>

namespace kopt {
namespace {

using testing::HasSubstr;

// A loaded object of docs/formats.md, "Judged objects".
class Object {
public:
  explicit Object(const fs::path &path) : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    EXPECT_TRUE(handle_) << dlerror();
    EXPECT_EQ(*static_cast<const int *>(dlsym(handle_, "kopt_abi")), 1);
  }
  ~Object() { dlclose(handle_); }
  Object(const Object &) = delete;
  Object &operator=(const Object &) = delete;

  void run(const std::vector<void *> &leaves) const {
    for (const char *name : {"kopt_bind", "kopt_call", "kopt_unbind"})
      reinterpret_cast<void (*)(void *const *)>(dlsym(handle_, name))(leaves.data());
  }
  unsigned long long taken() const { return *static_cast<unsigned long long *>(dlsym(handle_, "kopt_taken")); }
  bool has(const char *name) const { return dlsym(handle_, name) != nullptr; }

private:
  void *handle_;
};

class SourceTest : public testing::Test {
protected:
  void TearDown() override { fs::remove_all(folder); }

  std::unique_ptr<Object> load(const Model &model, const std::string &text) {
    auto stem = folder / std::to_string(count++);
    auto build = HostPlatform(disk, processes)
                     .build(model.compile, {text, stem.string() + ".cpp", stem.string() + ".so", {}, std::chrono::seconds(60)});
    EXPECT_TRUE(build) << build.error().message();
    diagnosis = build->diagnosis;
    return build->succeeded ? std::make_unique<Object>(stem.string() + ".so") : nullptr;
  }

  std::unique_ptr<Object> candidate(const Model &model, const Variant &variant) {
    auto text = candidate_source(model, variant);
    EXPECT_TRUE(text) << text.error().message();
    return text ? load(model, *text) : nullptr;
  }

  RealDisk disk;
  RealProcesses processes;
  std::string diagnosis;
  int count = 0;
  fs::path folder = fs::path(testing::TempDir()) / ("source-" + std::to_string(getpid()));
};

// Leaves of a stencil call on 5 x 4 cells.
struct StencilCall {
  int nx = 5, ny = 4;
  double alpha = 0.5;
  std::vector<double> u = std::vector<double>(20), next = std::vector<double>(20);
  StencilCall() { std::iota(u.begin(), u.end(), 1.0), u[7] = 100; }
  std::vector<void *> leaves() { return {&nx, &ny, &alpha, u.data(), next.data()}; }
};

TEST_F(SourceTest, ABaselineRunsFromItsLeaves) {
  auto object = load(fixture::stencil(), baseline_source(fixture::stencil()));
  ASSERT_TRUE(object) << diagnosis;
  StencilCall call;
  object->run(call.leaves());
  EXPECT_EQ(call.next[7], 100 + 0.25 * (7 + 9 + 3 + 13 - 400));
  EXPECT_EQ(call.next[0], 0);
  EXPECT_EQ(object->taken(), 0u);
  EXPECT_FALSE(object->has("_ZN4heat7diffuseERKNS_4GridEPKdPd")) << "the kernel's own symbol must not leave the object";
}

const char *const stencil_variant =
    "#ifndef KOPT_FACTOR\n#define KOPT_FACTOR 1\n#endif\n"
    "void kopt_variant(const Grid &g, const double *__restrict__ u, double *__restrict__ next) {\n"
    "  for (int j = 1; j < g.ny - 1; ++j)\n"
    "    for (int i = 1; i < g.nx - 1; ++i)\n"
    "      next[j * g.nx + i] = KOPT_FACTOR * u[j * g.nx + i];\n"
    "}\n";

TEST_F(SourceTest, ACandidateRunsItsVariantWhereTheGuardsHold) {
  Variant variant;
  variant.text = stencil_variant;
  variant.plan =
      "require disjoint(u[0 : g.nx * g.ny], next[0 : g.nx * g.ny])\nrequire g.nx >= 5 and g.alpha < 1\ncall kopt_variant\n";
  variant.parameters = {{"KOPT_FACTOR", "3"}};
  auto object = candidate(fixture::stencil(), variant);
  ASSERT_TRUE(object) << diagnosis;
  StencilCall call, original;
  object->run(call.leaves());
  EXPECT_EQ(call.next[7], 300);
  EXPECT_EQ(object->taken(), 1u);
  original.alpha = 2;
  object->run(original.leaves());
  EXPECT_EQ(original.next[7], 100 + (7 + 9 + 3 + 13 - 400));
  auto leaves = call.leaves();
  leaves[4] = call.u.data() + 1;
  object->run(leaves);
  EXPECT_EQ(object->taken(), 1u) << "overlapping arrays run the original";
}

TEST_F(SourceTest, GlobalsAreBoundPutBackAndResultsReturned) {
  auto model = fixture::product();
  auto object = load(model, baseline_source(model));
  ASSERT_TRUE(object) << diagnosis;
  int n = 2, calls = 41;
  double alpha = 2, trace = 0;
  std::vector<double> a = {1, 2, 3, 4}, b = {1, 0, 0, 1}, c(4);
  std::vector<void *> leaves = {&n, &alpha, a.data(), b.data(), c.data(), &calls, &trace};
  object->run(leaves);
  EXPECT_EQ(c, std::vector<double>({2, 4, 6, 8}));
  EXPECT_EQ(trace, 10);
  EXPECT_EQ(calls, 42);
  leaves[5] = nullptr;
  object->run(leaves);
  leaves[5] = &calls;
  EXPECT_EQ(calls, 42);
  object->run(leaves);
  EXPECT_EQ(calls, 43);

  Variant variant;
  variant.text = "double kopt_variant(int n, double, const double *, const double *, double *) { calls += 10; return n; }\n";
  auto fast = candidate(model, variant);
  ASSERT_TRUE(fast) << diagnosis;
  fast->run(leaves);
  EXPECT_EQ(trace, 2);
  EXPECT_EQ(calls, 53);
}

// One kernel with everything that passing knows.
Model passing() {
  Model model = fixture::product();
  model.namespaces = {"app", ""};
  model.name = "app::f(int,double)";
  model.slug = "app.f";
  model.return_type = "Pair";
  std::string anchor = "Pair f(Pair p, Box &box, float &sum, const double (&weights)[2], Mode mode, const double *const "
                       "*table, unsigned long big) {";
  model.closure.text =
      "struct Box { char tag; double x[2]; int *hits; };\n"
      "struct Pair { int a; double b; };\n"
      "enum class Mode : short { Off, On };\n"
      "namespace app { namespace {\n"
      "double scale[2] = {1, 2};\n"
      "int f(int n) { return n; }\n" +
      anchor +
      "\n  box.x[1] += p.b; box.hits[0] = p.a; sum += weights[0] + weights[1]; scale[1] += 1; (void)table;\n"
      "  return Pair{mode == Mode::On ? p.a : -1, scale[0] + static_cast<double>(big)};\n}\n} } // namespace\n";
  using namespace fixture;
  model.parameters = {{"p", "Pair", "value", "Pair", 16, 8, {0, 1}},
                      {"box", "Box &", "reference", "Box", 32, 8, {2, 3, 4}},
                      {"sum", "float &", "reference", "float", 4, 4, {5}},
                      {"weights", "const double (&)[2]", "reference", "const double[2]", 16, 8, {6}},
                      {"mode", "Mode", "value", "Mode", 2, 2, {7}},
                      {"table", "const double *const *", "value", "const double *const *", 8, 8, {8}},
                      {"big", "unsigned long", "value", "unsigned long", 8, 8, {9}}};
  auto x = scalar_leaf("box.x", 1, float_element(), 8);
  x.count = 2, x.access = "readwrite";
  auto hits = pointer_leaf("box.hits", 1, "int *", integer_element(), "write", Polynomial(1));
  hits.offset = 24;
  auto scale = global_leaf("app::scale", "app::(anonymous namespace)::scale", float_element(), "readwrite");
  scale.count = 2;
  auto b = result_leaf(float_element());
  b.path = "return.b", b.offset = 8;
  model.leaves = {scalar_leaf("p.a", 0, integer_element()),
                  scalar_leaf("p.b", 0, float_element(), 8),
                  scalar_leaf("box.tag", 1, integer_element("char", 1)),
                  x,
                  hits,
                  pointer_leaf("sum", 2, "float *", float_element("float", 4), "readwrite", Polynomial(1)),
                  pointer_leaf("weights", 3, "const double *", float_element(), "read", Polynomial(2)),
                  scalar_leaf("mode", 4, {"Mode", "enum", 2, true, {}}),
                  pointer_leaf("table", 5, "const double *const *", {"const double *", "other", 8, true, {}}, "none", {}),
                  scalar_leaf("big", 6, integer_element("unsigned long", 8)),
                  scale,
                  result_leaf(integer_element()),
                  b};
  place_anchor(model, anchor);
  return model;
}

TEST_F(SourceTest, PassesStructsReferencesArraysEnumsAndGlobals) {
  auto model = passing();
  Variant variant;
  variant.text =
      "Pair kopt_variant(Pair p, Box &box, float &sum, const double (&w)[2], Mode, const double *const *, unsigned long) {\n"
      "  box.x[1] = 77; box.hits[0] = 5; sum = static_cast<float>(w[1]); return {p.a, p.b}; }\n";
  variant.plan = "require mode == 1 and sum > 0 and big < 5\n";
  for (bool with_variant : {false, true}) {
    auto object = with_variant ? candidate(model, variant) : load(model, baseline_source(model));
    ASSERT_TRUE(object) << diagnosis;
    int a = 3, hits = 0, result_a = 0;
    double b = 0.5, x[2] = {1, 2}, weights[2] = {10, 20}, scale[2] = {8, 9}, result_b = 0;
    char tag = 't';
    float sum = 1;
    short mode = 1;
    unsigned long big = 4;
    object->run({&a, &b, &tag, x, &hits, &sum, weights, &mode, nullptr, &big, scale, &result_a, &result_b});
    EXPECT_EQ(object->taken(), with_variant ? 1u : 0u);
    EXPECT_EQ(x[1], with_variant ? 77 : 2.5);
    EXPECT_EQ(hits, with_variant ? 5 : 3);
    EXPECT_EQ(sum, with_variant ? 20.f : 31.f);
    EXPECT_EQ(scale[1], with_variant ? 9 : 10);
    EXPECT_EQ(result_a, 3);
    EXPECT_EQ(result_b, with_variant ? 0.5 : 12);
    mode = 0; // the original runs
    object->run({&a, &b, &tag, x, &hits, &sum, weights, &mode, nullptr, &big, nullptr, &result_a, &result_b});
    EXPECT_EQ(result_b, 5) << "a global without a value is what the application starts with";
  }
}

TEST_F(SourceTest, DiagnosesNameTheVariantsLines) {
  Variant variant;
  variant.text = "\nvoid kopt_variant(const Grid &, const double *, double *) { oops(); }\n";
  EXPECT_FALSE(candidate(fixture::stencil(), variant));
  EXPECT_THAT(diagnosis, HasSubstr("variant.cpp:2:"));
  variant.plan = "require n >";
  EXPECT_THAT(candidate_source(fixture::stencil(), variant).error().message(), HasSubstr("plan.txt:1"));
}

TEST_F(SourceTest, AModelThatDisagreesWithTheCompilerIsToldApart) {
  auto model = fixture::stencil();
  model.parameters[0].size = 24;
  EXPECT_FALSE(load(model, baseline_source(model)));
  EXPECT_THAT(diagnosis, HasSubstr("parameter g"));
}

// tests/models/containers.cpp: vectors, a span, an array by reference, a struct that holds vectors.
struct ContainersCall {
  int n = 2, nx = 2;
  unsigned long four = 4, three = 3, two = 2;
  double result = 0;
  std::vector<double> a{1, 2, 3, 4}, b = std::vector<double>(4), weights{1, 10, 100}, shift{0, 0.5, 0}, u{1, 2}, v{5, 7};
  std::vector<void *> leaves() {
    return {&n,           a.data(), &four,    b.data(), &four,    weights.data(), &three,
            shift.data(), &nx,      u.data(), &two,     v.data(), &two,           &result};
  }
};

TEST_F(SourceTest, ContainersAreMadeOverTheMemoryOfTheirLeaves) {
  auto model = read_model(disk, fs::path(KOPT_MODELS) / "containers.json");
  ASSERT_TRUE(model) << model.error().message();
  model->compile.directory = "/";
  model->compile.arguments = {"-O2", "-std=c++20"};
  auto object = load(*model, baseline_source(*model));
  ASSERT_TRUE(object) << diagnosis;
  ContainersCall call;
  object->run(call.leaves());
  EXPECT_EQ(call.b, (std::vector<double>{2.5, 4.5, 6.5, 8.5}));
  EXPECT_EQ(call.u, (std::vector<double>{6, 9}));
  EXPECT_EQ(call.result, 111);
}

TEST_F(SourceTest, GuardsAndVariantsSpellContainers) {
  auto model = read_model(disk, fs::path(KOPT_MODELS) / "containers.json");
  ASSERT_TRUE(model) << model.error().message();
  model->compile.directory = "/";
  model->compile.arguments = {"-O2", "-std=c++20"};
  Variant variant;
  variant.text =
      "inline double kopt_variant(const int &n, const std::vector<double> &a, std::vector<double> &b, std::span<const double>, "
      "const std::array<double, 3> &, Grid &g) {\n  for (int k = 0; k < n * n; ++k) b[k] = 2 * a.data()[k];\n  return "
      "g.u.size();\n}\n";
  variant.plan =
      "require disjoint(a.data()[0 : a.size()], b.data()[0 : b.size()])\nrequire weights.size() == 3 and g.u.size() >= 2\n"
      "call kopt_variant\n";
  auto object = candidate(*model, variant);
  ASSERT_TRUE(object) << diagnosis;
  ContainersCall call;
  object->run(call.leaves());
  EXPECT_EQ(object->taken(), 1u);
  EXPECT_EQ(call.b, (std::vector<double>{2, 4, 6, 8}));
  EXPECT_EQ(call.result, 2);
  auto leaves = call.leaves();
  leaves[1] = call.b.data() + 1; // now they overlap
  object->run(leaves);
  EXPECT_EQ(object->taken(), 1u);
}

TEST_F(SourceTest, ArraysOfTheProgramAreCopiedThereAndBack) {
  auto model = read_model(disk, fs::path(KOPT_MODELS) / "global_arrays.json");
  ASSERT_TRUE(model) << model.error().message();
  model->compile.directory = "/";
  model->compile.arguments = {"-O2", "-std=c++20"};
  auto object = load(*model, baseline_source(*model));
  ASSERT_TRUE(object) << diagnosis;
  int n = 2, m = 2;
  std::vector<double> a(40 * 30, 1), b(40 * 30, 5);
  std::vector<void *> leaves;
  for (const Leaf &leaf : model->leaves) {
    if (leaf.path == "n") leaves.push_back(&n);
    if (leaf.path == "m") leaves.push_back(&m);
    if (leaf.path == "app::A") leaves.push_back(a.data());
    if (leaf.path == "app::B") leaves.push_back(b.data());
    if (leaf.path == "app::scale") leaves.push_back(nullptr); // as the application begins with it
  }
  ASSERT_EQ(leaves.size(), 5u);
  object->run(leaves);
  EXPECT_EQ(b[0], 6);
  EXPECT_EQ(b[31], 7);
  EXPECT_EQ(b[2], 5);
}

} // namespace
} // namespace kopt
