// kopt-kernel: foo
// kopt-error: includes itself and, since foo.h has #pragma once, cannot include through outer.h as well
// kopt-error: give foo.h an include guard
#include "foo.h"
#include "outer.h"
void call(double *x) { foo(1, x); }
//! file outer.h
#include "foo.h"
//! file foo.h
#pragma once
inline void foo(int n, double *x) { x[0] = n; }
