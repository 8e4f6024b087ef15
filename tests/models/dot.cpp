// Dot product, counted in an unsigned type.
double dot(unsigned long n, const double *x, const double *y) {
  double sum = 0.0;
  for (unsigned long i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}
