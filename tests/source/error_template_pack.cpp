// kopt-kernel: run
// kopt-error: run<double, int> has a template parameter 'Rest' that is a pack or a template, which a kernel's cannot be yet
template <typename T, typename... Rest> void run(T *x, Rest... rest) { x[0] = sizeof...(rest); }
void use(double *x) { run(x, 1); }
