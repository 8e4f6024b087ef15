// using namespace, using-declarations, namespace aliases; at file scope, in a namespace, and in the body.
// kopt-kernel: use
#include <cmath> // +
#include <iostream> // -
namespace deep { namespace inner { inline double one() { return 1; } } } // -
namespace deep { namespace tools {
inline double two() { return 2; } // +
inline double three() { return 3; } // +
} }
namespace other { inline double four() { return 4; } } // -
namespace di = deep::tools; // +
namespace unused = other; // -
using namespace deep; // +
using namespace other; // -
using std::sqrt; // +
using std::fabs; // -
void use(int n, double *x) { // +
  using namespace deep::tools;
  for (int i = 0; i < n; ++i) x[i] = sqrt(x[i]) + two() + di::three() + tools::two();
}
void print() { std::cout << other::four(); } // -
