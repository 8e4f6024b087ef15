// Containers as parameters: vectors, spans and arrays, by reference and in structs; numbers by reference to constants.
// kopt-kernel: run
// kopt-leaves: n a.data() a.size() b.data() b.size() w s.data() s.size() f.data() g.nx g.u.data() g.u.size() g.w total
#include <array> // +
#include <span> // +
#include <vector> // +
struct Grid { // +
  int nx;
  std::vector<float> u;
  std::array<double, 4> w;
};
static double &at(std::vector<double> &v, int i) { return v[i]; } // +
void run(const int &n, const std::vector<double> &a, std::vector<double> &b, std::array<double, 3> &w, std::span<double> s, // +
         std::span<const int, 4> f, const Grid &g, double &total) {
  for (int i = 0; i < n; ++i) {
    at(b, i) = a.at(i) * w[0] + s[i] + f[i % 4] + g.u[i] * g.w[1];
    total += b[i];
  }
}
