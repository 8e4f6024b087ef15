// Counts through an index array.
void histogram(int n, const int *bin, int *count) {
  for (int i = 0; i < n; ++i) count[bin[i]] += 1;
}
