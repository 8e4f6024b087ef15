// Macros from system headers, feature macros asked for by system headers, pragmas that change layout.
// kopt-kernel: use
#define _GNU_SOURCE_SPARE 1 // -
#include <cassert> // +
#include <climits> // +
#include <string> // -
#pragma pack(push, 1) // +
struct Tight { char c; int i; }; // +
#pragma pack(pop) // +
#pragma once_unknown // -
int use(int n, const Tight *t) { // +
  int m = INT_MIN;
  for (int i = 0; i < n; ++i) m = t[i].i > m ? t[i].i : m;
  assert(m >= INT_MIN);
  return m;
}
std::string text; // -
