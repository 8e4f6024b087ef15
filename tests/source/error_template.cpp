// kopt-kernel: run
// kopt-error: the kernel 'run' is a function template that target t does not instantiate so; call it, or add its explicit
template <typename T> void run(int n, T *x) { x[0] = n; }
