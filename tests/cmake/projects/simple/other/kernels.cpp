void bar(int n, double *values) {
  for (int i = 0; i < n; ++i) values[i] *= 2;
}
