// kopt-kernel: run
// kopt-error: run<Late> cannot have a variant ahead of its template: 'T' is of Late, which is declared after the template
template <typename T> void run(int n, T *x) { x[n].v = 0; }
struct Late { int v; };
void use(Late *x) { run(1, x); }
