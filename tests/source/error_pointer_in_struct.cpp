// kopt-kernel: run
// kopt-error: Row::data is a pointer inside what a pointer points to
struct Row { double *data; };
void run(int n, Row *x) { x[0].data[0] = n; }
