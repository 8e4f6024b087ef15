// An #if that cuts through a definition travels whole.
// kopt-kernel: kernel
#ifdef __cplusplus
extern "C" {
#endif
double shift(double v); // +
#ifdef __cplusplus
}
#endif
#ifdef NEVER // +
double shift(double v, int) {
#else // +
double shift(double v) { // +
#endif // +
  return v + 1;
}
void kernel(int n, double *x) { // +
  for (int i = 0; i < n; ++i) x[i] = shift(x[i]);
}
