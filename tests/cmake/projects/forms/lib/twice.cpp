#include "kernels.h"

#if defined(NEEDS_PCH) && !defined(FROM_PCH)
#error "compiled without the precompiled header"
#endif

#ifndef VARIANT
#define VARIANT 0
#endif

#ifdef PROBED
extern "C" void kopt_probed() {}
#endif

static int here(int n) { return 2 * n; }

int twice(int n) { return here(n) + VARIANT; }
