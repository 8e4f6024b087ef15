// Alignment: from a constant, a type, a macro; alignof; a member that is aligned.
// kopt-kernel: run
#define LINE 64 // +
constexpr unsigned kWide = 32; // +
struct alignas(16) Quad { double v[2]; }; // +
struct Padded { // +
  char c;
  alignas(Quad) double d;
};
struct alignas(LINE) Slot { double v; }; // +
alignas(kWide) static const double weights[4] = {1, 2, 3, 4}; // +
alignas(128) static double spare[4]; // -
void run(int n, double *x, const Slot *s) { // +
  alignas(LINE) double buffer[8];
  for (int i = 0; i < n; ++i) {
    buffer[i % 8] = s[i].v;
    x[i] = buffer[i % 8] + weights[i % 4] + alignof(Padded) + sizeof(Quad);
  }
}
