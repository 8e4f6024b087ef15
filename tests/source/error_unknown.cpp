// kopt-kernel: heat::difuse
// kopt-error: no source of target t defines the kernel 'heat::difuse'; did you mean diffuse
namespace heat { void diffuse(int n, double *x) { x[0] = n; } }
