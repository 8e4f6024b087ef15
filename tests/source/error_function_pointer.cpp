// kopt-kernel: run
// kopt-error: kernel.cpp:4: parameter 'f' (double (*)(double)) cannot be recorded and replayed: it is a pointer to a function
// kopt-error: write one kernel for each function
void run(int n, double *x, double (*f)(double)) {
  for (int i = 0; i < n; ++i) x[i] = f(x[i]);
}
