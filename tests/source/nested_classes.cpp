// Classes in classes and in class templates, defined and with members defined outside of them.
// kopt-kernel: use
class Outer { // +
public:
  struct Inner; // declared here, defined outside
  template <typename T> struct Cell {
    struct Half { T v; };
    Half half(T v) const;
  };
  enum { kWays = 2 };
};
struct Outer::Inner { // +
  double v;
  double get() const;
  struct Unused;
};
struct Outer::Inner::Unused { int x; }; // -
double Outer::Inner::get() const { return v / kWays; } // +
template <typename T> typename Outer::Cell<T>::Half Outer::Cell<T>::half(T v) const { return {v / 2}; } // +
void use(int n, double *x) { // +
  const Outer::Cell<double> cell{};
  for (int i = 0; i < n; ++i) x[i] = Outer::Inner{x[i]}.get() + cell.half(x[i]).v;
}
