// Functions that a template only asks about: without them another overload would be chosen, in silence.
// kopt-kernel: run
#include <type_traits> // +
#include <utility> // +
template <typename T, typename = void> struct has_norm : std::false_type {}; // +
template <typename T> struct has_norm<T, std::void_t<decltype(norm(std::declval<T>()))>> : std::true_type {}; // +
template <typename T> concept Ordered = requires(T a, T b) { { a < b } -> std::same_as<bool>; }; // +
template <typename T> double length(T) { return has_norm<T>::value ? 1 : 2; } // +
template <typename T> double rank(T) { return 1; }
template <Ordered T> double rank(T) { return 2; } // +
namespace app {
struct Vec { double x; }; // +
inline double norm(const Vec &v) { return v.x; } // +
inline bool operator<(Vec a, Vec b) { return a.x < b.x; } // +
} // namespace app
namespace far { struct Other {}; inline double norm(Other) { return 3; } } // -
void run(int n, double *x) { // +
  for (int i = 0; i < n; ++i) x[i] = length(app::Vec{x[i]}) + rank(app::Vec{x[i]});
}
