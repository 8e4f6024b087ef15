// Friends: hidden in a class, declared there and defined outside, of a template, and a befriended class nobody needs.
// kopt-kernel: use
class Money; // +
double cents(const Money &m); // +
struct Auditor; // -
class Money { // +
  double v_;
  friend double cents(const Money &m);
  friend struct Bank;
  friend Money operator+(const Money &a, const Money &b) { return Money(a.v_ + b.v_); }
  template <typename T> friend Money scaled(const Money &m, T by);

public:
  explicit Money(double v) : v_(v) {}
};
struct Auditor { double v; }; // -
double cents(const Money &m) { return m.v_ * 100; } // +
template <typename T> Money scaled(const Money &m, T by) { return Money(m.v_ * by); } // +
void use(int n, double *x) { // +
  for (int i = 0; i < n; ++i) x[i] = cents(Money(x[i]) + scaled(Money(1), 2));
}
