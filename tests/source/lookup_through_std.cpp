// Functions of the project that only the library calls: swap, begin and end, comparison, a conversion.
// kopt-kernel: run
#include <algorithm> // +
#include <iterator>
#include <numeric> // +
namespace app {
struct Item { // +
  double v;
  Item() = default;
  Item(double w) : v(w) {}
};
bool operator<(const Item &a, const Item &b) { return a.v < b.v; } // +
bool operator>(const Item &a, const Item &b) { return a.v > b.v; } // -
Item operator+(const Item &a, const Item &b) { return {a.v + b.v}; } // +
void swap(Item &a, Item &b) { const Item c = a; a = b; b = c; } // +
struct Span { double *p; int n; }; // +
double *begin(const Span &s) { return s.p; } // +
double *end(const Span &s) { return s.p + s.n; } // +
double *middle(const Span &s) { return s.p + s.n / 2; } // -
} // namespace app
void run(int n, double *x) { // +
  app::Item items[4] = {3.0, 1.0, 2.0, 4.0};
  std::sort(items, items + 4);
  std::reverse(items, items + 4);
  for (double &v : app::Span{x, n}) v += std::accumulate(items, items + 4, app::Item{0}).v;
}
