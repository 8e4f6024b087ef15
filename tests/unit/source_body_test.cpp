// Body: what the model says about small kernels. Each test is a few lines of code and the outline of its model.
#include "source_body_support.h"

#include "core/disk.h"

#include <cstdlib>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kopt::fixture {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string outline_of(const std::string &code) { return outline(model_of(code)); }

// "u read n, v write -": each pointer leaf with its access and extent.
std::string pointers_of(const Model &model) {
  std::string text;
  for (const Leaf &leaf : model.leaves)
    if (leaf.is_pointer())
      text += (text.empty() ? "" : ", ") + leaf.path + " " + leaf.access + " " + (leaf.extent ? leaf.extent->shown() : "-");
  return text;
}

std::string access_to(const Model &model, const std::string &path) {
  const Leaf *leaf = model.leaf(path);
  return leaf ? leaf->access : "no such leaf";
}

std::vector<std::string> notes_of(const Model &model) {
  std::vector<std::string> notes;
  for (const Note &note : model.notes) notes.push_back(std::to_string(note.line) + ": " + note.text);
  return notes;
}

const Node &innermost(const Model &model) {
  const std::vector<Node> *nodes = &model.body;
  while (nodes->back().kind == Node::Kind::Loop || nodes->back().kind == Node::Kind::If) nodes = &nodes->back().body;
  return nodes->back();
}

// ---------------------------------------------------------------- globals

TEST(Globals, AHelperMayChangeOneThatTheKernelNeverNames) {
  const Model model = model_of("int counter; static void bump(double *x) { counter++; x[0] = counter; }\n"
                               "void f(double *a) { bump(a); }");
  EXPECT_EQ(access_to(model, "counter"), "unknown");
}

// ---------------------------------------------------------------- loops

TEST(Loops, InclusiveBoundHasOneAdded) {
  EXPECT_EQ(outline_of("void f(int n, double *a) { for (int i = 1; i <= n; i++) a[i] = 0; }"),
            "for i in [1, n + 1)\n  write a[i]\n");
}

TEST(Loops, BoundKeepsItsText) {
  const Model model = model_of("void f(int n, double *a) { for (int i = 1; i <= n - 2; i++) a[i] = 0; }");
  EXPECT_EQ(model.body[0].upper.text, "(n - 2) + 1");
  EXPECT_EQ(model.body[0].text, "for (int i = 1; i <= n - 2; i++)");
}

TEST(Loops, ComparisonMayBeTurnedAround) {
  EXPECT_EQ(outline_of("void f(long n, double *a) { for (long i = 0; n > i; i += 1) a[i] = 0; }"),
            "for i in [0, n)\n  write a[i]\n");
}

TEST(Loops, StepsByAConstant) {
  EXPECT_EQ(outline_of("enum { S = 4 }; void f(int n, double *a) { for (int i = 0; i < n; i = i + S) a[i] = 0; }"),
            "for i in [0, n) step 4\n  write a[i]\n");
}

TEST(Loops, DownwardIsGivenAsIfUpward) {
  EXPECT_EQ(outline_of("void f(int n, double *a) { for (int i = n - 1; i >= 0; --i) a[i] = a[i + 1]; }"),
            "for i in [0, n) reverse\n  write a[i]; read a[i + 1]\n");
}

TEST(Loops, CountingDownInTheCondition) {
  EXPECT_EQ(outline_of("void f(unsigned long n, double *a) { for (unsigned long i = n; i-- > 0;) a[i] = 0; }"),
            "for i in [0, n) reverse\n  write a[i]\n");
}

TEST(Loops, NotEqualIsTakenToReachItsEnd) {
  const Model model = model_of("void f(int n, double *a) {\n for (int i = 0; i != n; ++i) a[i] = 0; }");
  EXPECT_EQ(outline(model), "for i in [0, n)\n  write a[i]\n");
  EXPECT_THAT(notes_of(model), ElementsAre("2: a loop that ends at != is taken to reach its end"));
}

TEST(Loops, UnsignedArithmeticIsTakenAsIntegersWithANote) {
  const Model model = model_of("void f(unsigned n, double *a) { for (unsigned i = 0; i < n - 1; ++i) a[i] = 0; }");
  EXPECT_EQ(outline(model), "for i in [0, n - 1)\n  write a[i]\n");
  EXPECT_THAT(notes_of(model), testing::Contains(HasSubstr("unsigned")));
}

TEST(Loops, VariableMayBeDeclaredBefore) {
  EXPECT_EQ(
      outline_of("void f(int n, double *a) { int i; for (i = 0; i < n; i++) a[i] = 0; for (i = 1; i < n; i++) a[i] = 1; }"),
      "declare i\nfor i in [0, n)\n  write a[i]\nfor i in [1, n)\n  write a[i]\n");
}

TEST(Loops, VariableReadAfterItsLoopIsOpaque) {
  EXPECT_THAT(outline_of("int f(int n, double *a) { int i; for (i = 0; i < n; i++) a[i] = 0; return i; }"),
              HasSubstr("opaque: the loop variable i is used outside the loop"));
}

TEST(Loops, Opaque) {
  EXPECT_EQ(outline_of("void f(int n, double *a) { while (n > 0) a[n--] = 0; }"), "opaque: while loop\n");
  EXPECT_EQ(outline_of("void f(int n, double *a) { do a[n] = 0; while (--n); }"), "opaque: do loop\n");
  EXPECT_EQ(outline_of("void f(int n, int s, double *a) { for (int i = 0; i < n; i += s) a[i] = 0; }"),
            "opaque: the loop's step is not a constant\n");
  EXPECT_EQ(outline_of("void f(int n, double *a) { for (int i = 0; i < n; ++i) { a[i] = 0; ++i; } }"),
            "opaque: the loop variable i is written in the loop\n");
  EXPECT_EQ(outline_of("void f(int n, double *a) { for (int i = 0, j = 0; i < n; ++i) a[i + j] = 0; }"),
            "opaque: a loop with several variables\n");
  EXPECT_EQ(outline_of("void f(double *a) { for (float x = 0; x < 3; ++x) a[0] = x; }"),
            "opaque: the loop variable x is not an integer\n");
  EXPECT_EQ(outline_of("void f(double (&a)[4]) { for (double &x : a) x = 0; }"), "opaque: range-based for loop\n");
  EXPECT_EQ(outline_of("void f(int n, double *a) { for (int i = n; i < 9; --i) a[i] = 0; }"),
            "opaque: a loop that runs away from its end\n");
}

TEST(Loops, OpaqueNodeSaysWhere) {
  const Model model = model_of("void f(int n, double *a) {\n\n  while (n > 0) a[n--] = 0;\n}");
  EXPECT_EQ(model.body[0].line, 3);
  EXPECT_EQ(model.body[0].text, "while (n > 0) a[n--] = 0;");
  EXPECT_THAT(notes_of(model), ElementsAre("3: while loop: not modelled"));
}

TEST(Loops, BoundFromAnArrayIsReadByTheLoop) {
  EXPECT_EQ(outline_of("void f(int n, const int *row, const double *a, double *y) { for (int r = 0; r < n; ++r)"
                       " for (int k = row[r]; k < row[r + 1]; ++k) y[r] += a[k]; }"),
            "for r in [0, n)\n  for k in [?, ?): read row[r]; read row[r + 1]\n    update y[r]; read a[k]; reduce + @0\n");
}

TEST(Loops, BoundThatTheBodyChangesIsOpaque) {
  EXPECT_EQ(outline_of("void f(int *m, double *a) { for (int i = 0; i < m[0]; ++i) { a[i] = 0; m[0] = 7; } }"),
            "opaque: a loop bound that may change in the loop\n");
}

TEST(Loops, BreakIsOpaqueWhereItStands) {
  EXPECT_EQ(outline_of("void f(int n, double *a) { for (int i = 0; i < n; ++i) { a[i] = 1; if (i > 3) break; } }"),
            "for i in [0, n)\n  write a[i]\n  if i - 4 >= 0\n    opaque: break\n");
}

TEST(Loops, PragmasAreNoted) {
  EXPECT_THAT(notes_of(model_of("void f(int n, double *a) {\n#pragma GCC ivdep\n  for (int i = 0; i < n; ++i) a[i] = 0;\n}")),
              ElementsAre("2: pragma: #pragma GCC ivdep"));
}

TEST(Loops, EndThatDependsOnItsOwnVariableIsOpaque) {
  EXPECT_EQ(outline_of("void f(int n, double *a) { for (int i = 0; i < n - i; ++i) a[i] = 0; }"),
            "opaque: a loop whose end depends on its own variable\n");
}

TEST(Loops, HeaderFromAMacro) {
  EXPECT_EQ(
      outline_of("#define FOR(i, n) for (int i = 0; i < (n); ++i)\nvoid f(int n, double *a) { FOR(k, n + 1) { a[k] = 0; } }"),
      "for k in [0, n + 1)\n  write a[k]\n");
}

// ---------------------------------------------------------------- polynomials

TEST(Polynomials, ConstantsAreFolded) {
  EXPECT_EQ(outline_of("constexpr int W = 3; enum { B = 2 };\n#define OFF (W + 1)\nvoid f(int n, double *a) { a[(n << B) - W * "
                       "n + -OFF + (int)sizeof(double)] = 0; }"),
            "write a[n + 4]\n");
}

TEST(Polynomials, LocalsAssignedOnceAreSubstituted) {
  EXPECT_EQ(outline_of("void f(int n, double *a) { const int m = n + 1; int row = 2 * m; a[row - m] = 0; }"),
            "declare m; write m\ndeclare row (substituted); read m; write row\nwrite a[n + 1]\n");
}

TEST(Polynomials, LocalAssignedLaterIsSubstitutedAfterIt) {
  EXPECT_EQ(outline_of("void f(int n, double *a) { int row; for (int i = 0; i < n; ++i) { row = i * n; a[row] = 0; } }"),
            "declare row\nfor i in [0, n)\n  write row\n  write a[i * n]\n");
}

TEST(Polynomials, LocalUsedBeforeItsAssignmentIsNot) {
  EXPECT_THAT(
      outline_of("void f(int n, double *a) { int last; for (int i = 0; i < n; ++i) { if (i > 0) a[last] = 0; last = i; } }"),
      HasSubstr("write a[?]; read last"));
}

TEST(Polynomials, LocalThatChangesIsNot) {
  EXPECT_EQ(outline_of("void f(int n, double *a) { int k = 0; for (int i = 0; i < n; ++i) { a[k] = 0; k += 2; } }"),
            "declare k; write k\nfor i in [0, n)\n  write a[?]; read k\n  update k; reduce + k\n");
}

TEST(Polynomials, ParameterThatChangesIsNoSymbol) {
  EXPECT_EQ(outline_of("void f(int n, double *a) { n *= 2; a[n] = 0; }"), "update n; reduce * n\nwrite a[?]; read n\n");
}

TEST(Polynomials, HelperFunctionsAreInlined) {
  EXPECT_EQ(
      outline_of(
          "struct G { int nx, ny; }; inline int idx(const G &g, int i, int j) { const int row = j * g.nx; return row + i; }\n"
          "void f(const G &g, double *u) { for (int i = 1; i < g.nx; ++i) u[idx(g, i - 1, 2)] = 0; }"),
      "for i in [1, g.nx)\n  write u[2 * g.nx + i - 1]\n");
}

TEST(Polynomials, MembersAndCallOperatorsAreInlined) {
  EXPECT_EQ(outline_of("struct G { int nx; int at(int i, int j) const { return j * nx + i; } int operator()(int i) const { "
                       "return at(i, 1); } };\n"
                       "void f(G g, double *u) { u[g.at(1, 2)] = 0; u[g(3)] = 1; }"),
            "write u[2 * g.nx + 1]\nwrite u[g.nx + 3]\n");
}

TEST(Polynomials, LambdasAreInlined) {
  EXPECT_EQ(outline_of("void f(int n, double *u) { auto at = [&](int i, int j) -> double & { return u[j * n + i]; };\n"
                       "for (int i = 0; i < n; ++i) at(i, 1) = at(1, i); }"),
            "declare at (substituted)\nfor i in [0, n)\n  write u[i + n]; read u[i * n + 1]\n");
}

TEST(Polynomials, RecursionAndDivisionAreNot) {
  EXPECT_EQ(outline_of("void f(int n, double *a) { for (int i = 0; i < n; ++i) a[i / 2] = 0; }"),
            "for i in [0, n)\n  write a[?]\n");
  EXPECT_THAT(innermost(model_of("void f(int n, double *a) { for (int i = 0; i < n; ++i) a[i % 2] = 0; }")).accesses[0].why,
              HasSubstr("i % 2"));
}

TEST(Polynomials, NestedStructMembers) {
  EXPECT_EQ(outline_of("struct D { int n; }; struct G { D d; double *u; }; void f(const G &g) { for (int i = 0; i < g.d.n; "
                       "++i) g.u[i] = 0; }"),
            "for i in [0, g.d.n)\n  write g.u[i]\n");
}

TEST(Polynomials, ConversionsAreTakenToKeepTheValue) {
  const Model model = model_of("#include <cstddef>\nvoid f(int n, long m, double *a) { for (int i = 0; i < (int)m; ++i) "
                               "a[static_cast<std::size_t>(i) * n] = 0; }");
  EXPECT_EQ(outline(model), "for i in [0, m)\n  write a[i * n]\n");
  EXPECT_THAT(notes_of(model), ElementsAre(HasSubstr("narrower integer")));
  EXPECT_EQ(outline_of("void f(int n, double *a) { a[(unsigned char)n] = 0; }"), "write a[?]\n");
}

TEST(Polynomials, GlobalThatACalleeWritesIsNoSymbol) {
  EXPECT_EQ(outline_of("int n; static void grow() { ++n; } void f(double *a) { a[n] = 0; grow(); a[n] = 1; }"),
            "write a[?]; read n\nopaque: calls grow, which writes to something that is not its own\nwrite a[?]; read n\n");
}

// ---------------------------------------------------------------- accesses

TEST(Accesses, PointersInAllSpellings) {
  EXPECT_EQ(outline_of("void f(int i, double *a) { *a = 1; *(a + i) = 2; i[a] = 3; *(a - 1 + 2 * i) = 4; (&a[2])[i] = 5; }"),
            "write a[0]\nwrite a[i]\nwrite a[i]\nwrite a[2 * i - 1]\nwrite a[i + 2]\n");
}

TEST(Accesses, LocalPointersAreFollowed) {
  const Model model = model_of("void f(int n, const double *u, double *v) { for (int j = 0; j < n; ++j) { const double *row = "
                               "u + j * n; double *out = &v[j];"
                               " for (int i = 0; i < n; ++i) *out += row[i]; } }");
  EXPECT_EQ(outline(model), "for j in [0, n)\n  declare row (substituted); write row\n  declare out (substituted); write out\n"
                            "  for i in [0, n)\n    update v[j]; read u[j * n + i]; reduce + @0\n");
  EXPECT_EQ(pointers_of(model), "u read n * n, v readwrite n");
}

TEST(Accesses, ReferencesAreFollowed) {
  EXPECT_EQ(outline_of("void f(int n, double *a) { for (int i = 0; i < n; ++i) { double &x = a[2 * i]; x *= 2; } }"),
            "for i in [0, n)\n  declare x (substituted)\n  update a[2 * i]; reduce * @0\n");
}

TEST(Accesses, PointerThatMovesIsUnknown) {
  const Model model = model_of("void f(int n, double *a, const double *b) { for (int i = 0; i < n; ++i) *a++ = b[i]; }");
  EXPECT_EQ(outline(model), "for i in [0, n)\n  write unknown; read b[i]; update a\n");
  EXPECT_EQ(pointers_of(model), "a unknown -, b read -");
}

TEST(Accesses, TwoDimensions) {
  const Model model = model_of("void f(int n, double a[][8], double (*b)[8]) { for (int i = 0; i < n; ++i) { double *row = "
                               "b[i]; a[i][1] = row[i] + *b[2]; } }");
  EXPECT_EQ(outline(model),
            "for i in [0, n)\n  declare row (substituted); write row\n  write a[i][1]; read b[i][i]; read b[2][0]\n");
  EXPECT_THAT(pointers_of(model), HasSubstr("a write 8 * n - 6"));
}

TEST(Accesses, FlattenedTwoDimensionalArrayHasNoSubscripts) {
  EXPECT_EQ(outline_of("void f(int n, double a[][8]) { double *p = &a[0][0]; for (int i = 0; i < n; ++i) p[i] = 0; double *q = "
                       "(double *)a; q[n] = 1; }"),
            "declare p; write p\nfor i in [0, n)\n  write a[0][?]; read p\ndeclare q; write q\nwrite a[?]; read q\n");
  EXPECT_EQ(outline_of("void f(int n, double a[][8]) { double *p = a[0]; p[n] = 0; }"),
            "declare p; write p\nwrite a[0][?]; read p\n");
}

TEST(Accesses, LocalArrays) {
  EXPECT_EQ(
      outline_of("double f(const double *a) { double t[4] = {0}; for (int k = 0; k < 4; ++k) t[k] += a[k]; return t[2]; }"),
      "declare t; write local t[?]\nfor k in [0, 4)\n  update local t[k]; read a[k]; reduce + @0\nread local t[2]\n");
}

TEST(Accesses, GlobalArraysAndConstants) {
  const Model model = model_of("namespace m { double field[100]; const double w[3] = {1, 2, 1}; int count; }\n"
                               "void f(int n) { for (int i = 0; i < n; ++i) m::field[i] = m::w[1] * m::w[i]; m::count += n; }");
  EXPECT_EQ(outline(model), "for i in [0, n)\n  write m::field[i]\nupdate m::count; reduce + @0\n");
  EXPECT_EQ(access_to(model, "m::field"), "write");
  EXPECT_EQ(access_to(model, "m::count"), "readwrite");
}

TEST(Accesses, ElementsOfStructs) {
  const Model model = model_of(
      "struct P { double x, v; }; void f(int n, P *p, double dt) { for (int i = 0; i < n; ++i) p[i].x += dt * p[i].v; }");
  EXPECT_EQ(outline(model), "for i in [0, n)\n  update p[i]; read p[i]\n");
  EXPECT_EQ(innermost(model).pattern, "@0.x += dt * @1.v;");
}

TEST(Accesses, ArrowIsTheFirstElement) {
  const Model model = model_of("struct P { double x, v; }; void f(P *p) { p->x = p->v; }");
  EXPECT_EQ(outline(model), "update p[0]; read p[0]\n");
  EXPECT_EQ(innermost(model).pattern, "@0.x = @1.v;");
  EXPECT_EQ(innermost(model).accesses[0].text, "(*p)");
}

TEST(Accesses, ReferencedScalarHasNoSubscripts) {
  const Model model = model_of("struct S { int n; double sum; }; void f(const double *a, double &total, S &s) { for (int i = "
                               "0; i < s.n; ++i) { total += a[i]; s.sum += a[i]; } }");
  EXPECT_EQ(outline(model),
            "for i in [0, s.n)\n  update total; read a[i]; reduce + @0\n  update s.sum; read a[i]; reduce + @0\n");
  EXPECT_EQ(access_to(model, "total"), "readwrite");
  EXPECT_EQ(access_to(model, "s.sum"), "readwrite");
  EXPECT_EQ(access_to(model, "s.n"), "read");
}

TEST(Accesses, IndirectSubscriptReadsItsIndex) {
  const Model model =
      model_of("void f(int n, const int *p, const double *a, double *b) { for (int i = 0; i < n; ++i) b[i] = a[p[i]]; }");
  EXPECT_EQ(outline(model), "for i in [0, n)\n  write b[i]; read a[?]; read p[i]\n");
  EXPECT_EQ(innermost(model).pattern, "@0 = @1;");
  EXPECT_EQ(innermost(model).accesses[1].text, "a[p[i]]");
}

TEST(Accesses, ElementFromAHelper) {
  const Model model = model_of("inline double at(const double *u, int n, int i) { return u[2 * n + i]; } inline double "
                               "&ref(double *u, int i) { return u[i + 1]; }\n"
                               "void f(int n, const double *u, double *v) { ref(v, n) = 2 * at(u, n, 1); }");
  EXPECT_EQ(outline(model), "write v[n + 1]; read u[2 * n + 1]\n");
  EXPECT_EQ(innermost(model).pattern, "@0 = 2 * @1;");
}

TEST(Accesses, ViewsWithCallOperators) {
  EXPECT_EQ(outline_of("struct View { double *p; int n; double &operator()(int i, int j) const { return p[j * n + i]; } };\n"
                       "void f(View a, const View &b) { for (int i = 0; i < a.n; ++i) a(i, 1) = b(1, i); }"),
            "for i in [0, a.n)\n  write a.p[a.n + i]; read b.p[b.n * i + 1]\n");
}

TEST(Accesses, SubscriptThatLeavesItsDimension) {
  EXPECT_EQ(outline_of("void f(int n, double a[][8]) { for (int i = 0; i < n; ++i) a[0][i * 8 + 1] = 0; }"),
            "for i in [0, n)\n  write a[0][?]\n");
}

TEST(Accesses, StructsAreCopied) {
  EXPECT_EQ(outline_of("struct P { double x, y; }; void f(int n, const P *p, P *q) { for (int i = 0; i < n; ++i) { P v = p[i]; "
                       "v.x = 0; q[i] = v; } }"),
            "for i in [0, n)\n  declare v; read p[i]; write v\n  update v\n  write q[i]; read v\n");
}

TEST(Accesses, HelperLocalsReadArraysToo) {
  EXPECT_EQ(
      outline_of(
          "static double lap(const double *u, int i) { const double l = u[i - 1]; const double r = u[i + 1]; return l + r; }\n"
          "static double via(const double *u, const int *p, int i) { const int k = p[i]; return u[k]; }\n"
          "void f(int i, const double *u, const int *p, double *v) { v[0] = lap(u, i); v[1] = via(u, p, i); }"),
      "write v[0]; read u[i - 1]; read u[i + 1]; call lap\nwrite v[1]; read u[?]; read p[i]\n");
}

// ---------------------------------------------------------------- containers

TEST(Containers, ElementsOfVectorsInAllSpellings) {
  const Model model = model_of(
      "#include <vector>\nvoid f(int n, const std::vector<double> &a, std::vector<double> &b) { for (int i = 0; i < n; "
      "++i) { b[i] = a.at(i + 1) + *a.data() + a.data()[2 * i] + (&a[1])[i]; b.front() = a.back(); } }");
  EXPECT_EQ(outline(model),
            "for i in [0, n)\n  write b.data()[i]; read a.data()[i + 1]; read a.data()[0]; read a.data()[2 * i]; read "
            "a.data()[i + 1]\n  write b.data()[0]; read a.data()[a.size() - 1]\n");
  EXPECT_EQ(pointers_of(model), "a.data() read a.size(), b.data() write b.size()");
  EXPECT_EQ(innermost(model).pattern, "@0 = @1;");
}

TEST(Containers, SizesAreSymbols) {
  EXPECT_EQ(outline_of("#include <vector>\nvoid f(std::vector<float> &x) { const int n = static_cast<int>(x.size()); for "
                       "(std::size_t i = 1; i < "
                       "x.size() - 1; ++i) if (i + 2 < x.size()) x[i] = n; }"),
            "declare n; write n\nfor i in [1, x.size() - 1)\n  if -i + x.size() - 3 >= 0\n    write x.data()[i]; read n\n");
}

TEST(Containers, MembersOfStructsAndAliases) {
  EXPECT_EQ(outline_of("#include <vector>\nstruct G { int n; std::vector<double> u; double &at(int i) { return u[i]; } double "
                       "get(int i) const { "
                       "return u[i]; } };\nvoid f(G &g) { auto &u = g.u; double *p = u.data(); for (int i = 0; i < g.n; ++i) { "
                       "u[i] = 1; p[i] = 2; "
                       "g.at(i) = g.get(i + 1); } }"),
            "declare u (substituted)\ndeclare p (substituted); write p\nfor i in [0, g.n)\n  write g.u.data()[i]\n  write "
            "g.u.data()[i]\n  write "
            "g.u.data()[i]; read g.u.data()[i + 1]\n");
}

TEST(Containers, HelpersThatTakeThem) {
  EXPECT_EQ(
      outline_of("#include <vector>\nstatic double &at(std::vector<double> &v, int n, int i, int j) { return v[i * n + j]; }\n"
                 "static double sum(const std::vector<double> &v, int i) { return v[i] + v[i + 1]; }\n"
                 "void f(int n, std::vector<double> &v) { for (int i = 0; i < n; ++i) at(v, n, i, 1) = sum(v, i); }"),
      "for i in [0, n)\n  write v.data()[i * n + 1]; read v.data()[i]; read v.data()[i + 1]; call sum\n");
}

TEST(Containers, Spans) {
  const Model model =
      model_of("#include <span>\nvoid f(std::span<double> s, std::span<const int, 4> w, const std::span<double> &t) { for "
               "(std::size_t i = 0; i < s.size(); ++i) s[i] = t[i] + w[i % 4] + w.size(); }");
  EXPECT_EQ(outline(model), "for i in [0, s.size())\n  write s.data()[i]; read t.data()[i]; read w.data()[?]\n");
  EXPECT_EQ(pointers_of(model), "s.data() write s.size(), w.data() read 4, t.data() read t.size()");
}

TEST(Containers, ArraysAreArrays) {
  const Model model = model_of(
      "#include <array>\nvoid f(std::array<double, 8> &a, const std::array<double, 3> w) { std::array<double, 2> t{}; for (int "
      "i = 0; i < 8; ++i) { t[0] = w[1]; a[i] = t[0]; } }");
  EXPECT_EQ(outline(model), "declare t; write t\nfor i in [0, 8)\n  read w[1]; update t\n  write a[i]; read t\n");
  EXPECT_EQ(pointers_of(model), "a write 8");
}

TEST(Containers, ElementsThatAreStructs) {
  EXPECT_EQ(outline_of("#include <array>\n#include <vector>\nstruct P { double x, v; };\nvoid f(double dt, std::vector<P> &p, "
                       "std::vector<std::array<double, 3>> &q) { for (std::size_t i = 0; i < p.size(); ++i) { p[i].x += dt * "
                       "p[i].v; q[i][1] = 0; } }"),
            "for i in [0, p.size())\n  update p.data()[i]; read p.data()[i]\n  update q.data()[i]\n");
}

TEST(Containers, OfTheKernelItselfAreNotModelled) {
  EXPECT_THAT(outline_of("#include <vector>\nvoid f(int n, double *a) { std::vector<double> t(n); for (int i = 0; i < n; ++i) "
                         "{ t[i] = 1; a[i] = "
                         "t[i]; } }"),
              HasSubstr("for i in [0, n)\n  opaque: "));
}

TEST(Parameters, ReferencesToNumbersThatAreOnlyReadAreSymbols) {
  const Model model = model_of(
      "void f(const int &n, unsigned &m, double &sum, int &last, double *a) { for (int i = 0; i < n; ++i) a[i * m] = 1; sum += "
      "a[0]; last = n; }");
  EXPECT_EQ(outline(model), "for i in [0, n)\n  write a[i * m]\nupdate sum; read a[0]; reduce + @0\nwrite last\n");
  EXPECT_EQ(model.leaf("m")->kind, "scalar");
  EXPECT_EQ(model.leaf("last")->kind, "pointer");
}

TEST(Parameters, ArraysOfSeveralDimensionsInAllSpellings) {
  const Model model =
      model_of("struct S { double w[4][8]; }; static double G[16][20];\nvoid f(int n, double a[][8], double (*b)[4][8], double "
               "(&c)[6][8], S "
               "&s) { for (int i = 0; i < n; ++i) { a[i][1] = b[i][2][3]; c[2][i] = s.w[i][1]; G[i][2 * i] = 0; } }");
  EXPECT_EQ(outline(model),
            "for i in [0, n)\n  write a[i][1]; read b[i][2][3]\n  write c[2][i]; read s.w[i][1]\n  write G[i][2 * i]\n");
  EXPECT_THAT(pointers_of(model), HasSubstr("c write 48"));
  EXPECT_THAT(pointers_of(model), HasSubstr("G write 320"));
}

// ---------------------------------------------------------------- statements

TEST(Statements, TextAndTemplate) {
  const Model model = model_of(
      "void f(int n, double c, const double *u, double *v) { for (int i = 1; i < n; ++i) v[i] = c * (u[i - 1] + u[i]); }");
  EXPECT_EQ(innermost(model).text, "v[i] = c * (u[i - 1] + u[i]);");
  EXPECT_EQ(innermost(model).pattern, "@0 = c * (@1 + @2);");
  EXPECT_EQ(innermost(model).accesses[1].text, "u[i - 1]");
  EXPECT_EQ(innermost(model).accesses[1].type, "double");
}

TEST(Statements, RangeIsThatOfTheText) {
  const std::string code = "void f(double *v) {\n  v[0] = 1; // one\n  v[1] = 2;\n}";
  const Model model = model_of(code);
  for (const Node &node : model.body)
    EXPECT_EQ(code.substr(static_cast<size_t>(node.begin), static_cast<size_t>(node.end - node.begin)), node.text);
  EXPECT_EQ(model.body[1].line, 3);
}

TEST(Statements, Reductions) {
  EXPECT_EQ(
      outline_of(
          "double f(const double *a) { double s = 1; s = s + a[0]; s = a[1] - 2 + s; s -= a[2]; s = s * a[3] * 2; return s; }"),
      "declare s; write s\nread a[0]; update s; reduce + s\nread a[1]; update s; reduce + s\nread a[2]; update s; reduce + s\n"
      "read a[3]; update s; reduce * s\nread s\n");
}

TEST(Statements, ReductionIntoAnElementSpelledOut) {
  EXPECT_EQ(
      outline_of(
          "void f(int i, const double *a, double *c) { c[i] = c[i] + a[i]; c[i] = c[i] + c[0]; c[i] = c[i] * c[i] + a[i]; }"),
      "write c[i]; read c[i]; read a[i]; reduce + @0\nwrite c[i]; read c[i]; read c[0]\nwrite c[i]; read c[i]; read c[i]; read "
      "a[i]\n");
}

TEST(Statements, NoReductionWhereTheExpressionReadsTheTarget) {
  EXPECT_EQ(outline_of("double f(const double *a) { double s = 1; s += s * a[0]; return s; }"),
            "declare s; write s\nread a[0]; update s\nread s\n");
  EXPECT_EQ(
      outline_of(
          "static double twice(const double *c, int i) { return 2 * c[i]; } void f(int i, double *c) { c[i] += twice(c, i); }"),
      "update c[i]; read c[i]; call twice\n");
  EXPECT_EQ(outline_of("struct P { double x, v; }; void f(int i, P *p) { p[i].x += 1; }"), "update p[i]\n");
}

TEST(Statements, MinimaAndMaxima) {
  const std::string code =
      "#include <algorithm>\n#include <cmath>\nvoid f(int i, const double *a, double m, double *c) { double x = 0;\n";
  EXPECT_THAT(outline_of(code + "m = std::max(m, a[i]); c[0] = m; x = fmin(a[i], x); c[1] = x; }"),
              testing::AllOf(HasSubstr("update m; call std::max; reduce max m"), HasSubstr("call fmin; reduce min x")));
  EXPECT_THAT(outline_of(code + "if (a[i] > x) x = a[i]; }"), HasSubstr("read a[i]; read a[i]; update x; reduce max x"));
  EXPECT_THAT(outline_of(code + "if (x > a[i]) { x = a[i]; } }"), HasSubstr("reduce min x"));
  EXPECT_THAT(outline_of(code + "c[i] = a[i] < c[i] ? c[i] : a[i]; }"), HasSubstr("reduce max @0"));
  EXPECT_THAT(outline_of(code + "if (a[i] > c[0]) c[0] = a[i]; }"),
              HasSubstr("read a[i]; read c[0]; update c[0]; read a[i]; reduce max @2"));
  EXPECT_THAT(outline_of(code + "x = x > a[i] ? a[i + 1] : x; }"), testing::Not(HasSubstr("reduce")));
  EXPECT_THAT(outline_of(code + "if (a[i] > x) x = a[i + 1]; }"), testing::Not(HasSubstr("reduce")));
}

TEST(Statements, PureCallsAreListed) {
  const Model model =
      model_of("#include <cmath>\nstatic double sq(double x) { double r = 1; for (int k = 0; k < 2; ++k) r *= x; return r; }\n"
               "void f(int n, double *a) { for (int i = 0; i < n; ++i) a[i] = std::sqrt(sq(a[i])); }");
  EXPECT_EQ(outline(model), "for i in [0, n)\n  write a[i]; read a[i]; call sq; call sqrt\n");
  EXPECT_EQ(innermost(model).pattern, "@0 = std::sqrt(sq(@1));");
}

TEST(Statements, PureHelperThatReadsArraysShowsItsReads) {
  const Model model =
      model_of("static double lap(const double *u, int i, int n) { return u[i - n] + u[i + n]; }\n"
               "void f(int n, const double *u, double *v) { for (int i = n; i < 3 * n; ++i) v[i] = lap(u, i + 1, n); }");
  EXPECT_EQ(outline(model), "for i in [n, 3 * n)\n  write v[i]; read u[i - n + 1]; read u[i + n + 1]; call lap\n");
  EXPECT_EQ(innermost(model).pattern, "@0 = lap(u, i + 1, n);");
}

TEST(Statements, CallsThatAreNotPureAreOpaque) {
  EXPECT_THAT(outline_of("#include <cstdio>\nvoid f(double *a) { std::printf(\"%f\", a[0]); }"),
              HasSubstr("opaque: calls printf"));
  EXPECT_THAT(
      outline_of("static int calls; static double g(double x) { ++calls; return x; } void f(double *a) { a[0] = g(a[1]); }"),
      HasSubstr("opaque: calls g, which writes to something that is not its own"));
  EXPECT_THAT(
      outline_of(
          "static double sum(const double *u, int n) { double s = 0; for (int i = 0; i < n; ++i) s += u[i]; return s; }\n"
          "void f(int n, const double *u, double *v) { v[0] = sum(u, n); }"),
      HasSubstr("opaque: calls sum, which reads through a pointer"));
  EXPECT_THAT(outline_of("#include <utility>\nvoid f(double *a) { std::swap(a[0], a[1]); }"), HasSubstr("opaque: calls swap"));
}

TEST(Statements, MoreThatIsOpaque) {
  EXPECT_THAT(outline_of("volatile int flag; void f(double *a) { a[0] = flag; }"), HasSubstr("opaque: volatile"));
  EXPECT_THAT(outline_of("void f(int n, double *a) { n > 0 ? a[0] = 1 : a[1] = 2; }"),
              HasSubstr("opaque: assignment inside a conditional expression"));
  EXPECT_THAT(outline_of("void f(int n, double *a) { switch (n) { case 1: a[0] = 1; } }"), HasSubstr("opaque: switch"));
  EXPECT_THAT(outline_of("void f(double *a) { static int k = 0; a[k] = 1; }"), HasSubstr("opaque: the static local k"));
  EXPECT_THAT(outline_of("void f(double *a) { double x = 1; double *p = &x; *p = 2; a[0] = x; }"),
              HasSubstr("opaque: the address of x is taken"));
}

TEST(Statements, ShadowedNamesAreOpaque) {
  const std::string text = outline_of(
      "void f(int n, double *a) { for (int i = 0; i < n; ++i) { double x = 1; { double x = 2; a[i] = x; } a[i] += 3; } }");
  EXPECT_THAT(text, HasSubstr("opaque: the name x is declared twice"));
  EXPECT_THAT(text, HasSubstr("update a[i]"));
  EXPECT_EQ(outline_of("void f(int n, double *a) { for (int i = 0; i < n; ++i) for (int i = 0; i < 2; ++i) a[i] = 0; }"),
            "opaque: the name i is declared twice\n");
}

TEST(Statements, MacrosAreTransparent) {
  const Model model = model_of("#define U(i) u[(i) + n]\n#define SQ(x) ((x) * (x))\nvoid f(int n, const double *u, double *v) "
                               "{ for (int i = 0; i < n; ++i) v[i] = U(i - 1) + SQ(u[i]); }");
  EXPECT_EQ(outline(model), "for i in [0, n)\n  write v[i]; read u[i + n - 1]; read u[i]\n");
  EXPECT_EQ(innermost(model).pattern, "@0 = @1 + SQ(@2);");
}

TEST(Statements, MacroThatNamesALoopVariableIsOpaque) {
  EXPECT_EQ(outline_of("#define HERE u[i]\nvoid f(int n, double *u) { for (int i = 0; i < n; ++i) HERE = 0; }"),
            "for i in [0, n)\n  opaque: a macro's body uses the local variable i\n");
}

TEST(Statements, LocalInAMacroArgumentKeepsItsDeclaration) {
  const Model model = model_of("#define LAP(k) (u[(k) - 1] + u[(k) + 1])\nvoid f(int n, const double *u, double *v) { int row "
                               "= 2 * n; v[row] = LAP(row); }");
  EXPECT_EQ(outline(model), "declare row; write row\nwrite v[2 * n]; read u[2 * n - 1]; read u[2 * n + 1]; read row\n");
  EXPECT_EQ(innermost(model).pattern, "@0 = LAP(row);");
}

TEST(Statements, SeveralStatementsFromOneMacroAreOneOpaqueNode) {
  EXPECT_EQ(outline_of("#define BOTH(i) a[i] = 0; b[i] = 0\nvoid f(int n, double *a, double *b) { for (int i = 0; i < n; ++i) "
                       "{ BOTH(i); a[i] += 1; } }"),
            "for i in [0, n)\n  opaque: part of a macro\n  update a[i]; reduce + @0\n");
}

TEST(Statements, BlocksAsExpressions) {
  EXPECT_EQ(outline_of("void f(int n, double *a) { for (int i = 0; i < n; ++i) ({ double t = a[i]; a[i] = t + 1; }); }"),
            "for i in [0, n)\n  declare t; read a[i]; write t\n  write a[i]; read t\n");
}

TEST(Statements, SeveralDeclarators) {
  const Model model = model_of("double f(const double *a) { double x = a[0], y = 2; return x + y; }");
  EXPECT_EQ(outline(model), "declare x; read a[0]; write x\ndeclare y; write y\nread x; read y\n");
  EXPECT_EQ(model.body[0].pattern, "double x = @0;");
  EXPECT_EQ(model.body[1].text, "double y = 2;");
}

TEST(Statements, SeveralDeclaratorsWithArraysAndPointers) {
  const Model model =
      model_of("double f(const double *a) { double x, rows[2][3], *p = nullptr; x = a[0]; (void)p; rows[0][1] = "
               "x; return rows[0][1]; }");
  EXPECT_EQ(model.body[0].text, "double x;");
  EXPECT_EQ(model.body[1].text, "double rows[2][3];");
  EXPECT_EQ(model.body[2].text, "double *p = nullptr;");
}

// ---------------------------------------------------------------- values of locals

TEST(Values, TheLastAssignmentBeforeTheUseCounts) {
  EXPECT_EQ(outline_of("void f(int n, const double *a, double *b) { int at; for (int i = 0; i < n; ++i) { at = i + 1; b[i] = "
                       "a[at]; at = 2 * i; b[i] += a[at]; } for (int j = 0; j < n; ++j) { at = j; b[at] = 0; } }"),
            "declare at\nfor i in [0, n)\n  write at\n  write b[i]; read a[i + 1]\n  write at\n  update b[i]; read a[2 * i]; "
            "reduce + @0\nfor j in [0, n)\n  write at\n  write b[j]\n");
}

TEST(Values, AreUnknownWhereAnAssignmentMayComeBetween) {
  const auto unknown = [](const std::string &loop) {
    return outline_of("void f(int n, const double *a, double *b) { int at; at = 0; " + loop + " }").find("read a[?]") !=
           std::string::npos;
  };
  EXPECT_FALSE(unknown("for (int i = 0; i < n; ++i) b[i] = a[at];"));
  EXPECT_TRUE(unknown("for (int i = 0; i < n; ++i) { b[i] = a[at]; at = i; }")) << "the loop brings it before the use";
  EXPECT_TRUE(unknown("for (int i = 0; i < n; ++i) { if (i > 2) at = i; b[i] = a[at]; }")) << "sometimes";
  EXPECT_TRUE(unknown("for (int i = 0; i < n; ++i) { b[i] = a[at]; ++at; }"));
}

// ---------------------------------------------------------------- conditions

TEST(Conditions, OverConstantsChooseTheirBranch) {
  const std::string head = "constexpr int scheme = 2; void f(double *a) { if (scheme == ";
  EXPECT_EQ(outline_of(head + "2) a[0] = 1; else a[1] = 2; }"), "write a[0]\n");
  EXPECT_EQ(outline_of(head + "3) a[0] = 1; else a[1] = 2; }"), "write a[1]\n");
  EXPECT_EQ(outline_of(head + "3) a[0] = 1; a[2] = 0; }"), "write a[2]\n");
}

TEST(Conditions, ConjunctionsOfComparisons) {
  EXPECT_EQ(outline_of("void f(int n, double *a) { for (int i = 0; i < n; ++i) if (i > 0 && i + 1 < n && !(i == 5 || i >= 9)) "
                       "a[i] = 0; else a[i] = 1; }"),
            "for i in [0, n)\n  if ?\n    write a[i]\n  else\n    write a[i]\n");
  EXPECT_EQ(
      outline_of("void f(int n, double *a) { for (int i = 0; i < n; ++i) if (i > 0 && i + 1 < n && !(i >= 9)) a[i] = 0; }"),
      "for i in [0, n)\n  if i - 1 >= 0 and -i + n - 2 >= 0 and -i + 8 >= 0\n    write a[i]\n");
  EXPECT_EQ(outline_of("void f(int n, int k, double *a) { if (n == k) a[0] = 1; }"),
            "if -k + n >= 0 and k - n >= 0\n  write a[0]\n");
}

TEST(Conditions, OnDataCarryTheirReads) {
  const Model model =
      model_of("void f(int n, const double *m, double *a) { for (int i = 0; i < n; ++i) if (m[i] > 0) a[i] = 0; }");
  EXPECT_EQ(outline(model), "for i in [0, n)\n  if ?: read m[i]\n    write a[i]\n");
  EXPECT_EQ(model.body[0].body[0].pattern, "@0 > 0");
}

TEST(Conditions, ContinueGoesAroundTheRest) {
  const Model model = model_of(
      "void f(int n, double *a) { for (int i = 0; i < n; ++i) { if (i < 1 || i >= n - 1) continue; a[i] = 0; a[i] += 1; } }");
  EXPECT_EQ(outline(model),
            "for i in [0, n)\n  if i - 1 >= 0 and -i + n - 2 >= 0\n    write a[i]\n    update a[i]; reduce + @0\n");
  EXPECT_EQ(model.body[0].body[0].condition, "!(i < 1 || i >= n - 1)");
}

TEST(Conditions, EarlyReturnGoesAroundTheRest) {
  EXPECT_EQ(outline_of("void f(int n, double *a) { if (n < 1) return; a[0] = 1; }"), "if n - 1 >= 0\n  write a[0]\n");
  EXPECT_EQ(outline_of("double f(int n, double *a) { if (n < 1) return 0; return a[0]; }"),
            "if -n >= 0\n  \nelse\n  read a[0]\n");
}

TEST(Conditions, ReturnThatIsNotTheWholeBranchIsOpaque) {
  EXPECT_EQ(outline_of("void f(int n, double *a) { if (n < 1) { a[0] = 0; return; } a[0] = 1; return; }"),
            "if -n >= 0\n  write a[0]\n  opaque: early return\nwrite a[0]\n");
}

TEST(Conditions, ReturnInsideALoopIsOpaque) {
  EXPECT_THAT(outline_of("void f(int n, double *a) { for (int i = 0; i < n; ++i) { if (a[i] > 3) return; a[i] = 0; } }"),
              HasSubstr("opaque: early return"));
}

// ---------------------------------------------------------------- leaves

TEST(Leaves, AccessAndExtent) {
  EXPECT_EQ(pointers_of(model_of("void f(int n, const double *a, double *b, double *c, double *d) { for (int i = 0; i < n; "
                                 "++i) { b[i + 2] = a[n - 1 - i]; c[i] += 1; } }")),
            "a read n, b write n + 2, c readwrite n, d none -");
}

TEST(Leaves, ReadOnlyAfterItsOwnWriteIsWrite) {
  EXPECT_EQ(
      pointers_of(model_of(
          "void f(int n, double *a) { for (int i = 0; i < n; ++i) { a[i] = 0; for (int k = 0; k < 3; ++k) a[i] += k; } }")),
      "a write n");
  EXPECT_EQ(
      pointers_of(model_of("void f(int n, double *a) { for (int i = 0; i < n; ++i) { if (n > 3) a[i] = 0; a[i] += 1; } }")),
      "a readwrite n");
  EXPECT_EQ(pointers_of(model_of("void f(int n, double *a) { for (int i = 1; i < n; ++i) { a[i] = 0; a[i - 1] += 1; } }")),
            "a readwrite n");
}

TEST(Leaves, ReachedByOpaqueCodeIsUnknown) {
  EXPECT_EQ(pointers_of(model_of("void f(int n, double *a, const double *b, double *c) { double *p = a; while (n > 0) { --n; "
                                 "p[n] = b[n]; } c[0] = 1; }")),
            "a unknown -, b read -, c write 1");
  EXPECT_EQ(pointers_of(model_of("void f(int n, double *a) { double *p; p = a; while (n > 0) p[--n] = 0; }")), "a unknown -");
}

TEST(Leaves, GlobalsReachedThroughACall) {
  const Model model = model_of("double total; static void add(double x) { total += x; } void f(double *a) { add(a[0]); }");
  EXPECT_EQ(access_to(model, "total"), "unknown");
}

TEST(Leaves, ExtentOfAStencilIsThatOfItsFarthestRead) {
  EXPECT_EQ(pointers_of(model_of("void f(int nx, int ny, const double *u, double *v) { for (int j = 1; j < ny - 1; ++j) for "
                                 "(int i = 1; i < nx - 1; ++i)"
                                 " v[j * nx + i] = u[j * nx + i + 1] + u[(j + 1) * nx + i] + u[(j - 1) * nx + i]; }")),
            "u read nx * ny - 1, v write nx * ny - nx - 1");
}

TEST(Leaves, ExtentsThatCannotBeComparedAreAllKept) {
  EXPECT_EQ(pointers_of(model_of("void f(int n, int m, double *a) { a[n] = 0; a[m] = 1; }")), "a write max(m + 1, n + 1)");
}

// `u[at - n]`: a kernel called with a pointer into the middle.
TEST(Leaves, ExtentsBeginWhereTheLowestIndexMayBe) {
  EXPECT_EQ(
      pointers_of(model_of("void f(int n, int h, const double *u, double *v) { for (int j = h; j < n - h; ++j) v[j] = u[j - "
                           "n] + u[j - 1]; }")),
      "u read from min(h - 1, h - n) to max(-h + n - 1, -h), v write -h + n");
}

// An upwind scheme: which neighbour is read depends on data, but it is one of few.
TEST(Leaves, ExtentsCoverAllThatAnIndexMayBe) {
  const std::string head =
      "#include <algorithm>\nstruct F { unsigned long n; double *p; double &operator()(int i, int j) const { "
      "return p[i * n + j]; } }; void f(int m, F u, F &v) { for (int j = 1; j < m; ++j) { int at; if (v(2, "
      "j) > 0) at = j - 1; else at = ";
  const auto extents = [&](const std::string &other) {
    return pointers_of(model_of(head + other + "; v(0, j) = u(1, at); } }"));
  };
  EXPECT_EQ(extents("std::min(j + 1, m)"), "u.p read m + u.n + 1, v.p readwrite m + 2 * v.n");
  EXPECT_EQ(extents("int(v(3, j))"), "u.p read -, v.p readwrite m + 3 * v.n");
}

TEST(Leaves, ExtentsThatAreNoPolynomialsAreLeftOut) {
  EXPECT_EQ(pointers_of(model_of("void f(int n, int m, double *a) { for (int i = 0; i < n; ++i) a[i * i] = 0; }")),
            "a write -");
}

TEST(Leaves, UnusedAreNone) { EXPECT_EQ(access_to(model_of("void f(int n, int m, double *a) { a[n] = 0; }"), "m"), "none"); }

// tests/models/*.json are read by tests of other parts; they are what the sources beside them give. KOPT_UPDATE_MODELS=1 writes
// them anew.
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
    EXPECT_TRUE(disk.read(path).value_or("") == text)
        << path << " is not what its source gives; run this test with KOPT_UPDATE_MODELS=1";
    ++seen;
  }
  EXPECT_GE(seen, 11);
}

} // namespace
} // namespace kopt::fixture
