// Partial specializations found by use only: for pointers, for a template argument, by a constraint; and in another file.
// kopt-kernel: run
#include "traits.h"
#include "traits_special.h"
void run(int n, const float *x, double *y) { // +
  for (int i = 0; i < n; ++i) y[i] = traits::depth<const float *>::value + traits::lanes<traits::vec<float, 4>>::value + x[i];
}
//! file traits.h
#ifndef TRAITS_H
#define TRAITS_H
namespace traits {
template <typename T, int N> struct vec { T v[N]; }; // +
template <typename T> struct depth { static const int value = 0; }; // +
template <typename T> struct lanes { static const int value = 1; }; // +
template <typename T> struct unused { static const int value = 9; }; // -
} // namespace traits
#endif
//! file traits_special.h
#ifndef TRAITS_SPECIAL_H
#define TRAITS_SPECIAL_H
#include "traits.h"
namespace traits {
template <typename T> struct depth<T *> { static const int value = depth<T>::value + 1; }; // +
template <typename T, int N> struct lanes<vec<T, N>> { static const int value = N; }; // +
template <typename T> struct unused<T *> { static const int value = 8; }; // -
} // namespace traits
#endif
