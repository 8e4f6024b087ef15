#ifndef VARIANT
#define VARIANT 0
#endif

int twice(int n) { return 2 * n + VARIANT; }
