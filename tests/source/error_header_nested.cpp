// kopt-kernel: foo
// kopt-error: the kernel 'foo' is defined in the header
// kopt-error: other.cpp includes only through outer.h
// kopt-error: include foo.h in that source itself, ahead of outer.h
#include "foo.h"
void call(double *x) { foo(1, x); }
//! file other.cpp
#include "outer.h"
void call_too(double *x) { foo(2, x); }
//! file outer.h
#include "foo.h"
//! file foo.h
#pragma once
inline void foo(int n, double *x) { x[0] = n; }
