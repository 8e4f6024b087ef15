// Concepts that constrain overloads, templates and auto parameters; one concept asks for a function of the project.
// kopt-kernel: run
#include <concepts> // +
struct Meter { double v; }; // +
inline double raw(Meter m) { return m.v; } // +
template <typename T> concept Measured = requires(T t) { { raw(t) } -> std::convertible_to<double>; }; // +
template <typename T> concept Small = sizeof(T) <= 8 && Measured<T>; // +
template <typename T> concept Unused = requires(T t) { t.nothing(); }; // -
double value(Measured auto m) { return 2 * raw(m); } // -
double value(Small auto m) { return raw(m); } // +
double value(double v) { return v; } // +
template <typename T> requires std::integral<T> double value(T v) { return v; } // +
template <Unused T> double strange(T) { return 0; } // -
void run(int n, double *x) { // +
  for (int i = 0; i < n; ++i) x[i] = value(Meter{x[i]}) + value(i) + value(x[i]);
}
