// kopt-kernel: foo
// kopt-error: foo is defined in a header, which cannot be replaced in one source yet
#include "foo.h"
void call(double *x) { foo(1, x); }
//! file foo.h
inline void foo(int n, double *x) { x[0] = n; }
