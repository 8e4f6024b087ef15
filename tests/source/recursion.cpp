// Functions that call one another in a circle, types that name one another, a template that recurs.
// kopt-kernel: run
struct B; // +
struct A { const B *b; double v; }; // +
struct B { const A *a; }; // +
static double odd(int n); // +
static double even(int n) { return n == 0 ? 1 : odd(n - 1); } // +
static double odd(int n) { return n == 0 ? 0 : even(n - 1); } // +
template <int N> struct Factorial { static const int value = N * Factorial<N - 1>::value; }; // +
template <> struct Factorial<0> { static const int value = 1; }; // +
static double chase(const A &a) { return a.b && a.b->a ? chase(*a.b->a) : a.v; } // +
void run(int n, double *x) { // +
  for (int i = 0; i < n; ++i) x[i] = even(i) + Factorial<5>::value + chase(A{nullptr, 1});
}
