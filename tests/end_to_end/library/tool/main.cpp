#include "num.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char **argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 1;
  std::vector<double> a(1000 * 1030, 1.0), b(a.size());
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<double>(i % 13);
  const num::View left{a.data(), 1000, 1030}, right{b.data(), 1000, 1030};
  for (int step = 0; step < steps; ++step) {
    num::blend_all(left, right, 0.1);
    num::accumulate(a.data(), 1000, 1030);
  }
  std::printf("norm %.6f total %.0f\n", num::norm_of(left), num::total);
}
