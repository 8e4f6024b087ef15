// A class template with members defined outside, an alias template, a default argument that needs something.
// kopt-kernel: use
constexpr int kDefault = 3; // +
template <typename T, int N = kDefault> class Small { // +
public:
  T get(int i) const;
  void set(int i, T v) { data_[i] = v; }

private:
  T data_[N] = {};
};
template <typename T, int N> T Small<T, N>::get(int i) const { return data_[i % N]; } // +
template <typename T> using Triple = Small<T, 3>; // +
template <typename T> using Pair = Small<T, 2>; // -
void use(int n, double *x) { // +
  Triple<double> t;
  for (int i = 0; i < n; ++i) {
    t.set(i % 3, x[i]);
    x[i] = t.get(i);
  }
}
