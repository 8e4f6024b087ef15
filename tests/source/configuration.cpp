// A configuration header as build systems write it, defaults by #ifndef, and macros that ask for one another.
// kopt-kernel: run
// kopt-flags: -DBLOCK=16
// kopt-macros: BLOCK=16
#include "config.h"
#include "defaults.h"
#if HAVE_FAST && !defined(NO_FAST) // +
typedef float real; // +
#else
typedef double real; // -
#endif
void run(int n, real *x) { // +
  for (int i = 0; i < n; ++i) x[i] = x[i] * BLOCK + LANES + static_cast<real>(VERSION_MAJOR);
}
//! file config.h
/* config.h. Generated. */
#define HAVE_FAST 1 // +
/* #undef HAVE_OTHER */
#define PACKAGE "demo" // -
#define VERSION_MAJOR 3 // +
//! file defaults.h
#ifndef DEFAULTS_H
#define DEFAULTS_H
#ifndef BLOCK
#define BLOCK 8 // -
#endif
#ifndef LANES // +
#define LANES (BLOCK / 4) // +
#endif
#ifndef SPARE
#define SPARE 1 // -
#endif
#endif
