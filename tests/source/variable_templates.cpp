// Variable templates, specialized fully and partially, and one of a class.
// kopt-kernel: run
template <typename T> constexpr T pi = T(3.14159265358979323846L); // +
template <typename T> constexpr int rank_of = 0; // +
template <typename T> constexpr int rank_of<T *> = 1 + rank_of<T>; // +
template <> constexpr int rank_of<float> = 7; // +
template <typename T> constexpr T e = T(2.71828182845904523536L); // -
struct Constants { // +
  template <int N> static constexpr double power = 2 * N;
};
template <> constexpr double Constants::power<0> = 1; // +
void run(int n, double *x) { // +
  for (int i = 0; i < n; ++i) x[i] = pi<double> + rank_of<float **> + Constants::power<3>;
}
