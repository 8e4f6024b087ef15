#include "mep/dispatch.h"

namespace kopt {

// Everything is written out: at the top of a user's file nothing may be included, because a header read early could see other
// macros than it does in the original. Warnings are off inside, because the user's flags apply to it.
std::string dispatch_prelude() {
  return R"cpp(#ifndef KOPT_PRELUDE
#define KOPT_PRELUDE 1
#ifdef __GNUC__
#pragma GCC diagnostic push
#ifdef __clang__
#pragma GCC diagnostic ignored "-Weverything"
#else
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wfloat-equal"
#pragma GCC diagnostic ignored "-Weffc++"
#pragma GCC diagnostic ignored "-Wuseless-cast"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wredundant-decls"
#pragma GCC diagnostic ignored "-Winline"
#pragma GCC diagnostic ignored "-Wpadded"
#endif
#endif

// One kernel with a variant. The runtime (kopt_runtime.cpp) lists sites and counts in them.
struct kopt_site {
  const char *kernel;
  const char *target;
  unsigned long long calls, variant_calls, guard_failures, nanoseconds, first_nanoseconds;
  kopt_site *next;
  int state;
  int reserved;
};

extern "C" int kopt_enter(kopt_site *site) noexcept; // bit 0: variants are on; bit 1: calls are timed
extern "C" void kopt_leave(kopt_site *site, unsigned long long start, int took_variant) noexcept;
extern "C" unsigned long long kopt_now(void) noexcept;

// One call of a kernel, from the head of its body to its return.
struct kopt_scope {
  explicit kopt_scope(kopt_site &of) noexcept : site(of), start(0), state(kopt_enter(&of)), took(0) {
    if (state & 2) start = kopt_now();
  }
  ~kopt_scope() { kopt_leave(&site, start, took); }
  kopt_scope(const kopt_scope &) = delete;
  kopt_scope &operator=(const kopt_scope &) = delete;
  bool on() const noexcept { return state & 1; }

  kopt_site &site;
  unsigned long long start;
  int state;
  int took;
};

// Arithmetic of guards: in long long or double; what overflows or divides by zero clears `ok`.
namespace kopt_guard {

template <class A, class B> struct common { typedef long long type; };
template <class B> struct common<double, B> { typedef double type; };
template <class A> struct common<A, double> { typedef double type; };
template <> struct common<double, double> { typedef double type; };

template <class T> inline long long value(const T &x) noexcept { return static_cast<long long>(x); }
inline double value(const float &x) noexcept { return x; }
inline double value(const double &x) noexcept { return x; }
inline double value(const long double &x) noexcept { return static_cast<double>(x); }

// The same for what a guard starts from; an unsigned number that long long cannot hold clears `ok`.
template <class T> inline auto input(bool &, const T &x) noexcept -> decltype(value(x)) { return value(x); }
inline long long input(bool &ok, const unsigned long long &x) noexcept {
  if (x > static_cast<unsigned long long>(__LONG_LONG_MAX__)) ok = false;
  return static_cast<long long>(x);
}
inline long long input(bool &ok, const unsigned long &x) noexcept { return input(ok, static_cast<unsigned long long>(x)); }

inline long long sum(bool &ok, long long a, long long b) noexcept {
  long long result = 0;
  if (__builtin_add_overflow(a, b, &result)) ok = false;
  return result;
}
inline double sum(bool &, double a, double b) noexcept { return a + b; }

inline long long difference(bool &ok, long long a, long long b) noexcept {
  long long result = 0;
  if (__builtin_sub_overflow(a, b, &result)) ok = false;
  return result;
}
inline double difference(bool &, double a, double b) noexcept { return a - b; }

inline long long product(bool &ok, long long a, long long b) noexcept {
  long long result = 0;
  if (__builtin_mul_overflow(a, b, &result)) ok = false;
  return result;
}
inline double product(bool &, double a, double b) noexcept { return a * b; }

inline bool divides(bool &ok, long long a, long long b) noexcept {
  if (b == 0 || (b == -1 && a == -__LONG_LONG_MAX__ - 1)) ok = false;
  return ok;
}
inline bool divides(bool &ok, double, double b) noexcept {
  if (b == 0) ok = false;
  return ok;
}

inline long long quotient(bool &ok, long long a, long long b) noexcept { return divides(ok, a, b) ? a / b : 0; }
inline double quotient(bool &ok, double a, double b) noexcept { return divides(ok, a, b) ? a / b : 0; }
inline long long rest(bool &ok, long long a, long long b) noexcept { return divides(ok, a, b) ? a % b : 0; }
inline double rest(bool &ok, double a, double b) noexcept { return divides(ok, a, b) ? __builtin_fmod(a, b) : 0; }
inline long long quotient_up(bool &ok, long long a, long long b) noexcept {
  return divides(ok, a, b) ? a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0) : 0;
}
inline double quotient_up(bool &ok, double a, double b) noexcept { return divides(ok, a, b) ? __builtin_ceil(a / b) : 0; }

#define KOPT_BINARY(name, function)                                                                                  \
  template <class A, class B> inline typename common<A, B>::type name(bool &ok, A a, B b) noexcept {                 \
    typedef typename common<A, B>::type T;                                                                           \
    return function(ok, static_cast<T>(a), static_cast<T>(b));                                                       \
  }
KOPT_BINARY(add, sum)
KOPT_BINARY(subtract, difference)
KOPT_BINARY(multiply, product)
KOPT_BINARY(divide, quotient)
KOPT_BINARY(remainder, rest)
KOPT_BINARY(ceil_div, quotient_up)
#undef KOPT_BINARY
template <class A, class B> inline typename common<A, B>::type minimum(bool &, A a, B b) noexcept {
  typedef typename common<A, B>::type T;
  return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a);
}
template <class A, class B> inline typename common<A, B>::type maximum(bool &, A a, B b) noexcept {
  typedef typename common<A, B>::type T;
  return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a);
}
template <class A> inline typename common<A, A>::type negate(bool &ok, A a) noexcept {
  return subtract(ok, static_cast<typename common<A, A>::type>(0), a);
}

// Bytes [begin, end) that a pointer's elements [first, last) take.
struct span {
  __UINTPTR_TYPE__ begin, end;
};
inline span span_of(bool &ok, const volatile void *pointer, long long first, long long last, long long size) noexcept {
  long long from = product(ok, first, size), to = product(ok, last, size);
  span bytes = {0, 0};
  if (to <= from) return bytes;
  __UINTPTR_TYPE__ address = reinterpret_cast<__UINTPTR_TYPE__>(pointer);
  if (__builtin_add_overflow(address, from, &bytes.begin) || __builtin_add_overflow(address, to, &bytes.end)) ok = false;
  return bytes;
}
inline bool disjoint(const span &a, const span &b) noexcept { return a.end <= b.begin || b.end <= a.begin; }

inline bool aligned(const volatile void *pointer, unsigned long long bytes) noexcept {
  return reinterpret_cast<__UINTPTR_TYPE__>(pointer) % bytes == 0;
}

template <class A, class B> struct same {
  enum : bool { value = false };
};
template <class A> struct same<A, A> {
  enum : bool { value = true };
};

// A value of any type, for code that is compiled and never runs.
struct nothing {
  template <class T> operator T() const noexcept { __builtin_unreachable(); }
};
struct nothing_at {
  template <class T> operator T &() const noexcept { __builtin_unreachable(); }
};

constexpr bool same_text(const char *a, const char *b) { return *a == *b && (*a == '\0' || same_text(a + 1, b + 1)); }

} // namespace kopt_guard

#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif
#endif // KOPT_PRELUDE
)cpp";
}

} // namespace kopt
