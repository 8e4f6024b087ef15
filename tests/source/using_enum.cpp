// using enum at namespace scope, in a class and in a function; operators on a scoped enumeration.
// kopt-kernel: run
namespace cfg {
enum class Mode : unsigned { Off = 0, Fast = 1, Exact = 2 }; // +
enum class Other { A, B }; // -
constexpr Mode operator|(Mode a, Mode b) { return Mode(unsigned(a) | unsigned(b)); } // +
constexpr bool has(Mode a, Mode b) { return (unsigned(a) & unsigned(b)) != 0; } // +
constexpr Mode operator&(Mode a, Mode b) { return Mode(unsigned(a) & unsigned(b)); } // -
} // namespace cfg
using enum cfg::Mode; // +
using enum cfg::Other; // -
struct Settings { // +
  using enum cfg::Mode;
  static constexpr cfg::Mode usual = Fast | Exact;
};
void run(int n, double *x, cfg::Mode m) { // +
  for (int i = 0; i < n; ++i) x[i] = has(m | Off, Settings::usual) ? x[i] : 0;
}
