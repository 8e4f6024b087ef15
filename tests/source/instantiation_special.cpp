// An explicit specialization is a function of its own.
// kopt-kernel: scale<float>
// kopt-leaves: n x
template <typename T> void scale(int n, T *x) { // +
  for (int i = 0; i < n; ++i) x[i] *= 2;
}
template <> void scale<float>(int n, float *x) { // +
  for (int i = 0; i < n; ++i) x[i] *= 2.0f;
}
void use(double *x) { scale(3, x); } // -
