// kopt-kernel: foo
// kopt-error: the kernel 'foo' may mean several functions; write one of them: foo(int,double*) (
// kopt-error: foo(const ns::S&) (
namespace ns { struct S { int i; }; }
void foo(int n, double *x) { x[0] = n; }
void foo(const ns::S &s) { (void)s; }
