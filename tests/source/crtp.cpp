// A base class that calls its derived class, with a mixin, and expression templates on top.
// kopt-kernel: use
template <typename D> struct Expr { // +
  double at(int i) const { return static_cast<const D &>(*this).value(i); }
};
template <typename D> struct Counted { int uses = 0; }; // +
struct View : Expr<View>, Counted<View> { // +
  const double *p;
  explicit View(const double *q) : p(q) {}
  double value(int i) const { return p[i]; }
};
template <typename A, typename B> struct Sum : Expr<Sum<A, B>> { // +
  const A &a;
  const B &b;
  Sum(const Expr<A> &x, const Expr<B> &y) : a(static_cast<const A &>(x)), b(static_cast<const B &>(y)) {}
  double value(int i) const { return a.at(i) + b.at(i); }
};
template <typename A, typename B> struct Product : Expr<Product<A, B>> {}; // -
template <typename A, typename B> Sum<A, B> operator+(const Expr<A> &a, const Expr<B> &b) { return {a, b}; } // +
template <typename A, typename B> Product<A, B> operator*(const Expr<A> &, const Expr<B> &) { return {}; } // -
void use(int n, const double *a, const double *b, double *c) { // +
  const View x(a), y(b);
  for (int i = 0; i < n; ++i) c[i] = (x + y).at(i);
}
