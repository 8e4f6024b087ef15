// Structs in structs, arrays in structs, pointers in structs; by reference and by value.
// kopt-kernel: apply
// kopt-leaves: m.size.nx m.size.ny m.weights m.data s.flag out
struct Size { // +
  int nx, ny;
};
struct Mesh { // +
  Size size;
  double weights[2][3];
  const float *data;
};
struct State { // +
  bool flag;
};
struct Unrelated { // -
  int x;
};
void apply(const Mesh &m, State s, float *out) { // +
  for (int i = 0; i < m.size.nx * m.size.ny; ++i) out[i] = s.flag ? m.data[i] : static_cast<float>(m.weights[0][0]);
}
