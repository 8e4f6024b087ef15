// Text that looks like code: raw strings, directives and braces in literals and comments, digit separators, UTF-8.
// kopt-kernel: run
static const char *const shader = R"glsl(
#version 330
#define FAKE 1
void main() { } // "
)glsl"; // +
static const char *const other = R"(#include "gone.h")"; // -
static const char quote = '"'; // +
static const char brace = '{'; // +
/* #define COMMENTED 1
   { */
static const int kLong = 1'000'000; // +
static const double größe = 1.5e+3; // +
static double first(const char *s) { return s[0] + quote + brace; } // +
void run(int n, double *x) { // +
  for (int i = 0; i < n; ++i) x[i] = first(shader) + kLong + größe + x[i];
}
