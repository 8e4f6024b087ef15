// A class template whose arguments are deduced: by its constructor, and by a guide of the user's.
// kopt-kernel: run
template <typename T> struct Range { // +
  T *first, *last;
  template <typename U> Range(U *p, int n) : first(p), last(p + n) {}
};
template <typename U> Range(U *, int) -> Range<U>; // +
template <typename T> struct Box { // +
  T v;
  explicit Box(T w) : v(w) {}
};
Box(const char *) -> Box<int>; // +
template <typename T> struct Spare { T v; }; // -
template <typename T> Spare(T) -> Spare<T>; // -
void run(int n, double *x) { // +
  const Range r(x, n);
  for (double *p = r.first; p != r.last; ++p) *p = Box(*p).v;
}
