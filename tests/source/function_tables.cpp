// Functions by address: tables of them, in templates' arguments, by default member initializers, pointers to members.
// kopt-kernel: run
typedef double (*Function)(double); // +
static double up(double v) { return v + 1; } // +
static double down(double v) { return v - 1; } // +
static double sideways(double v) { return v; } // -
static const Function table[] = {up, &down}; // +
template <Function F> double through(double v) { return F(v); } // +
static double by_template(double v) { return v * 5; } // +
static double standard(double v) { return v * 6; } // +
struct Options { Function f = standard; }; // +
struct Body { // +
  double mass, charge;
  double get() const { return mass; }
};
static double sum(const Body &b, double Body::*field, double (Body::*call)() const) { return b.*field + (b.*call)(); } // +
void run(int n, double *x) { // +
  for (int i = 0; i < n; ++i)
    x[i] = table[i % 2](x[i]) + through<by_template>(x[i]) + Options().f(x[i]) + sum({1, 2}, &Body::charge, &Body::get);
}
