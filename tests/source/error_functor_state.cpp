// kopt-kernel: Scale::operator()
// kopt-error: kernel.cpp:6: Scale::operator() uses the member 'by' of its object
struct Scale {
  double by;
  void operator()(int n, double *x) const {
    for (int i = 0; i < n; ++i) x[i] *= by; }
};
