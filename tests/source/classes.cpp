// A class with members defined outside, a base class, an operator, and a nested type.
// kopt-kernel: use
struct Base { // +
  double scale;
};
struct Vec : Base { // +
  struct Part { double v; }; // +
  double x, y;
  double norm() const;
  Part part() const { return {x}; }
};
double Vec::norm() const { return x * x + y * y; } // +
inline Vec operator+(const Vec &a, const Vec &b) { return Vec{{a.scale}, a.x + b.x, a.y + b.y}; } // +
inline Vec operator-(const Vec &a, const Vec &b) { return Vec{{a.scale}, a.x - b.x, a.y - b.y}; } // -
void use(int n, Vec *x) { // +
  for (int i = 0; i < n; ++i) {
    const auto sum = x[i] + x[0];
    x[i].x = sum.norm() + sum.part().v;
  }
}
