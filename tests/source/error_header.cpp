// kopt-kernel: foo
// kopt-error: foo is defined in a header that this source reaches through another header first
// kopt-error: include it in a source of the target itself, ahead of the other headers
#include "outer.h"
void call(double *x) { foo(1, x); }
//! file outer.h
#include "foo.h"
//! file foo.h
inline void foo(int n, double *x) { x[0] = n; }
