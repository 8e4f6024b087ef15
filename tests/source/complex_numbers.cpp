// std::complex elements and arguments; references to numbers; a two-dimensional array.
// kopt-kernel: use
// kopt-leaves: n z a total out m
#include <complex> // +
void use(int n, std::complex<double> *z, std::complex<double> a, double &total, const float &out, double (*m)[8]) { // +
  for (int i = 0; i < n; ++i) total += std::norm(a * z[i]) + out + m[i][0];
}
