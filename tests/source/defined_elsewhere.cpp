// Variables that other sources define: a static member, one in a namespace, an array, a pointer; the closure defines them anew.
// kopt-kernel: sim::use
// kopt-leaves: n x sim::State::step sim::table sim::gain
namespace sim {
struct State { // +
  static double step;
  static double unused;
};
extern double table[8]; // +
extern const double *gain; // +
extern int spare; // -
void use(int n, double *x) { // +
  for (int i = 0; i < n; ++i) x[i] = State::step * table[i % 8] * gain[i];
}
} // namespace sim
//! file other.cpp
namespace sim {
struct State { static double step, unused; };
double State::step = 1;
double table[8];
const double *gain;
int spare;
} // namespace sim
