// kopt-kernel: run
// kopt-error: run<double> has parameters of type auto; write template <typename T> for them
void run(int n, auto *x) { x[0] = n; }
void use(double *x) { run(1, x); }
