#include "kernels.h"
#include "made.h"
#ifndef DIRECTORY_FLAG
#error "flags of the directory lost"
#endif
#ifndef VARIANT
#define VARIANT 0
#endif
#ifdef PROBED
extern "C" void kopt_probed() {}
#endif
int twice(int n) { return n * made + VARIANT; }
