#include "local.h"
#include <scale.h>

#ifndef VARIANT
#define VARIANT 0
#endif

#if TARGET_DEFINITION + SOURCE_DEFINITION != 3
#error "properties lost"
#endif

#ifdef PROBED
extern "C" void kopt_probed() {}
#endif

namespace ns {
int foo(int n) { return n * scale + local + VARIANT; }
} // namespace ns
