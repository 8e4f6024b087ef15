// The only instantiation there is need not be named.
// kopt-kernel: scale
// kopt-leaves: n x
struct Half { float bits; }; // +
template <typename T> void scale(int n, T *x) { // +
  for (int i = 0; i < n; ++i) x[i].bits *= 2;
}
void use(Half *x) { scale(3, x); } // -
