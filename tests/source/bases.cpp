// Inheritance: inherited constructors, names brought in by using, a dependent base, a member hidden and called by its class.
// kopt-kernel: run
struct Root { // +
  double v;
  explicit Root(double w) : v(w) {}
  double get() const { return v; }
  double put(int k) const { return k; }
};
struct Leaf : Root { // +
  using Root::Root;
  using Root::put;
  double put(double k) const { return k; }
  double get() const { return 2 * Root::get(); }
};
template <typename B> struct Layer : B { // +
  using B::B;
  using B::v;
  double both() const { return this->get() + v; }
};
struct Unrelated : Root {}; // -
void run(int n, double *x) { // +
  for (int i = 0; i < n; ++i) {
    const Layer<Leaf> l(x[i]);
    x[i] = l.both() + l.put(1) + l.put(1.0);
  }
}
