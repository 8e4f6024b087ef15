// Explicit instantiations, declared and defined; the template's members in a file that is included at its end.
// kopt-kernel: run
#include "matrix.h"
extern template struct Matrix<float>; // -
template struct Matrix<float>; // -
template double trace(const Matrix<double> &);
void run(int n, double *x) { // +
  Matrix<double> m{{1, 2, 3, 4}};
  for (int i = 0; i < n; ++i) x[i] = trace(m) + m.at(i % 2, 0);
}
//! file matrix.h
#pragma once
template <typename T> struct Matrix { // +
  T v[4];
  T at(int i, int j) const;
  void unused();
};
template <typename T> T trace(const Matrix<T> &m); // +
#include "matrix.inl" // -
//! file matrix.inl
#pragma once
template <typename T> T Matrix<T>::at(int i, int j) const { return v[2 * i + j]; } // +
template <typename T> void Matrix<T>::unused() { v[0] = 0; } // -
template <typename T> T trace(const Matrix<T> &m) { return m.at(0, 0) + m.at(1, 1); } // +
