// Chains of typedefs and aliases, one of them from a system header.
// kopt-kernel: count
// kopt-leaves: n x return
#include <cstdint> // +
#include <vector> // -
typedef std::int32_t base_t; // +
using index_t = base_t; // +
using spare_t = double; // -
index_t count(index_t n, const index_t *x) { // +
  index_t c = 0;
  for (index_t i = 0; i < n; ++i) c += x[i] != 0;
  return c;
}
std::vector<int> v; // -
