// __restrict in all places, by a macro, on members and on this.
// kopt-kernel: run
// kopt-leaves: n a b v.p v.n
#define RESTRICT __restrict__ // +
struct View { // +
  double *__restrict p;
  int n;
};
struct Adder { // +
  double by;
  double add(double v) const __restrict { return v + by; }
};
static double get(const double *RESTRICT const p, int i) { return p[i]; } // +
void run(int n, const double *__restrict a, double *RESTRICT b, View v) { // +
  const Adder adder{1};
  for (int i = 0; i < n; ++i) b[i] = get(a, i) + adder.add(v.p[i]);
}
