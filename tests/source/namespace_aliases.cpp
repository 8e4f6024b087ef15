// Namespace aliases: of an alias, inside a namespace, inside a helper's body, and one that is used by a type only.
// kopt-kernel: app::run
namespace long_name { namespace numbers {
inline double one() { return 1; } // +
struct Half { double v; }; // +
} }
namespace long_name { namespace unused { inline double two() { return 2; } } } // -
namespace app {
namespace ln = long_name; // +
namespace num = ln::numbers; // +
namespace nothing = long_name::unused; // -
static double twice(double v) { namespace n = long_name::numbers; return v + n::one(); } // +
void run(int n, double *x) { // +
  for (int i = 0; i < n; ++i) x[i] = twice(x[i]) + num::Half{0.5}.v;
}
} // namespace app
