// kopt-kernel: sum
// kopt-error: the kernel 'sum' may mean several functions; write one of them: kernel.cpp:sum (
// kopt-error: other.cpp:sum (
static double sum(int n, const double *x) { return n * x[0]; }
double first(int n, const double *x) { return sum(n, x); }
//! file other.cpp
namespace {
double sum(int n, const double *x) { return n + x[0]; }
} // namespace
double second(int n, const double *x) { return sum(n, x); }
