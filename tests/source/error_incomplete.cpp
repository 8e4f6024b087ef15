// kopt-kernel: run
// kopt-error: kernel.cpp:4: parameter 'h' (Handle *) cannot be recorded and replayed: its type Handle is only declared here
struct Handle;
void run(int n, double *x, Handle *h) { x[0] = h ? n : 0; }
