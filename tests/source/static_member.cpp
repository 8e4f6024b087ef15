// A static member function defined outside of its class.
// kopt-kernel: ns::Sums::run
// kopt-leaves: n x return
namespace ns {
class Sums { // +
public:
  static constexpr double start = 1; // +
  static double run(int n, const double *x); // +
  static void other();
};
double Sums::run(int n, const double *x) { // +
  double s = Sums::start;
  for (int i = 0; i < n; ++i) s += x[i];
  return s;
}
void Sums::other() {} // -
} // namespace ns
