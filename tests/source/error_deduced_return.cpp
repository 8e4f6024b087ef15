// kopt-kernel: sum<double>
// kopt-error: sum<double> has a return type that is deduced
// kopt-error: write the return type
template <typename T> auto sum(int n, const T *x) {
  T s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
  return s;
}
double use(const double *x) { return sum(1, x); }
