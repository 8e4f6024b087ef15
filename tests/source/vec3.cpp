// A small vector class as it stands in many codes: operators in and out of the class, compound assignment, indexing, streams.
// kopt-kernel: kick
// kopt-leaves: n dt v a
#include "vec3.h"
void kick(int n, double dt, Vec3 *v, const Vec3 *a) { // +
  for (int i = 0; i < n; ++i) {
    v[i] += dt * a[i];
    v[i] = -v[i] * (1 / norm(v[i]));
    v[i][0] = dot(v[i], a[i]);
  }
}
//! file vec3.h
#ifndef VEC3_H
#define VEC3_H
#include <cmath> // +
#include <ostream> // -
#include <string> // -
struct Vec3 { // +
  double x = 0, y = 0, z = 0;
  Vec3 &operator+=(const Vec3 &o) { x += o.x, y += o.y, z += o.z; return *this; }
  double &operator[](int k) { return k == 0 ? x : k == 1 ? y : z; }
  Vec3 operator-() const { return {-x, -y, -z}; }
};
inline Vec3 operator*(double s, const Vec3 &v) { return {s * v.x, s * v.y, s * v.z}; } // +
inline Vec3 operator*(const Vec3 &v, double s) { return s * v; } // +
inline Vec3 operator+(Vec3 a, const Vec3 &b) { return a += b; } // -
inline double dot(const Vec3 &a, const Vec3 &b) { return a.x * b.x + a.y * b.y + a.z * b.z; } // +
inline double norm(const Vec3 &v) { return std::sqrt(dot(v, v)); } // +
inline std::ostream &operator<<(std::ostream &o, const Vec3 &v) { return o << v.x; } // -
#endif
