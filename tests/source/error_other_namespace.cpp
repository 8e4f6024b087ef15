// kopt-kernel: diffuse
// kopt-error: did you mean heat::diffuse (
namespace heat { void diffuse(int n, double *x) { x[0] = n; } }
