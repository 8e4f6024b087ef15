// Member templates of class templates, defined outside; static members; a specialization of one member.
// kopt-kernel: run
template <typename T> struct Store { // +
  T v;
  template <typename F> T map(F f) const;
  static const int ways;
  double twist() const;
  template <typename U> Store &operator=(const Store<U> &o);
  void spare();
};
template <typename T> template <typename F> T Store<T>::map(F f) const { return f(v); } // +
template <typename T> const int Store<T>::ways = 3; // +
template <typename T> double Store<T>::twist() const { return v; }
template <> double Store<double>::twist() const { return -v; } // +
template <typename T> template <typename U> Store<T> &Store<T>::operator=(const Store<U> &o) { v = T(o.v); return *this; } // +
template <typename T> void Store<T>::spare() {} // -
void run(int n, double *x) { // +
  Store<double> s{1};
  for (int i = 0; i < n; ++i) {
    s = Store<float>{2};
    x[i] = s.map([](double v) { return v + 1; }) + s.ways + s.twist();
  }
}
