#include "evaluate/inspection.h"

#include "core/feature.h"
#include "core/openmp.h"
#include "evaluate/precision.h"
#include "evaluate/token.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace kopt {

namespace {

using Words = std::set<std::string, std::less<>>;

// Words that a computation has no use for, wherever they stand.
const Words &forbidden_words() {
  static const Words words = {"asm",      "__asm",      "__asm__",  "thread_local", "_Thread_local",
                              "__thread", "extern",     "jthread",  "ifstream",     "ofstream",
                              "fstream",  "__declspec", "co_await", "co_yield",     "co_return"};
  return words;
}

// Functions that reach outside, when they are called and the application's kernel does not call them itself.
const Words &forbidden_calls() {
  static const Words words = {
      "fopen",     "freopen",        "printf", "fprintf",       "puts",       "fputs",      "putchar",        "fwrite",
      "open",      "openat",         "creat",  "write",         "read",       "pwrite",     "pread",          "dup2",
      "fork",      "vfork",          "execve", "execv",         "system",     "popen",      "dlopen",         "dlsym",
      "dlmopen",   "syscall",        "mmap",   "munmap",        "mprotect",   "signal",     "setjmp",         "longjmp",
      "sigaction", "getenv",         "setenv", "clock_gettime", "clock",      "time",       "sleep",          "gettimeofday",
      "usleep",    "nanosleep",      "exit",   "_exit",         "abort",      "quick_exit", "atexit",         "kill",
      "raise",     "pthread_create", "thread", "async",         "fesetround", "fesetenv",   "feenableexcept", "on_exit",
      "ptrace",    "socket",         "rdtsc",  "__rdtsc"};
  return words;
}

const Words &allowed_attributes() {
  static const Words words = {"noinline",
                              "always_inline",
                              "flatten",
                              "hot",
                              "cold",
                              "aligned",
                              "const",
                              "pure",
                              "may_alias",
                              "vector_size",
                              "unused",
                              "maybe_unused",
                              "likely",
                              "unlikely",
                              "nodiscard",
                              "gnu",
                              "fallthrough",
                              "assume_aligned",
                              "restrict",
                              "malloc",
                              "nothrow",
                              "leaf",
                              "returns_nonnull",
                              "nonnull",
                              "artificial",
                              "__aligned__",
                              "__always_inline__",
                              "__noinline__",
                              "__vector_size__",
                              "__may_alias__",
                              "__unused__",
                              "__pure__",
                              "__const__",
                              "__hot__",
                              "assume",
                              "optimize_for_size"};
  return words;
}

// Builtins that compute. A name passes if it begins with one of these after `__builtin_`.
bool is_computing_builtin(std::string_view name) {
  name.remove_prefix(std::string_view("__builtin_").size());
  for (const std::string_view allowed : {"expect",        "assume_aligned",
                                         "prefetch",      "unreachable",
                                         "constant_p",    "is_constant_evaluated",
                                         "convertvector", "shuffle",
                                         "choose_expr",   "types_compatible",
                                         "offsetof",      "bit_cast",
                                         "fma",           "sqrt",
                                         "cbrt",          "fabs",
                                         "fmin",          "fmax",
                                         "fmod",          "floor",
                                         "ceil",          "round",
                                         "rint",          "nearbyint",
                                         "trunc",         "lrint",
                                         "lround",        "llrint",
                                         "llround",       "exp",
                                         "log",           "pow",
                                         "sin",           "cos",
                                         "tan",           "asin",
                                         "acos",          "atan",
                                         "hypot",         "copysign",
                                         "signbit",       "isnan",
                                         "isinf",         "isfinite",
                                         "isless",        "isgreater",
                                         "inf",           "nan",
                                         "huge_val",      "abs",
                                         "labs",          "llabs",
                                         "clz",           "ctz",
                                         "ffs",           "popcount",
                                         "parity",        "bswap",
                                         "add_overflow",  "sub_overflow",
                                         "mul_overflow",  "sadd",
                                         "ssub",          "smul",
                                         "uadd",          "usub",
                                         "umul",          "memcpy",
                                         "memset",        "memmove",
                                         "memcmp",        "alloca",
                                         "object_size",   "frexp",
                                         "ldexp",         "scalb",
                                         "erf",           "tgamma",
                                         "lgamma"})
    if (name.substr(0, allowed.size()) == allowed) return true;
  // Vector instructions, but not those that touch the processor's state.
  if (name.substr(0, 5) != "ia32_") return false;
  for (const std::string_view state :
       {"rdtsc", "rdpmc", "ldmxcsr", "stmxcsr", "wr", "rdpkru", "xsave", "xrstor", "emms", "monitor", "mwait", "clflush", "x"})
    if (name.substr(5, state.size()) == state && name.substr(0, 8) != "ia32_xor") return false;
  return true;
}

bool begins_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

// The kernel's own name: the last part of `heat::diffuse<float>(int)`.
std::string last_name(const std::string &kernel) {
  const std::string plain = kernel.substr(0, kernel.find_first_of("<("));
  const std::size_t colon = plain.rfind("::");
  return colon == std::string::npos ? plain : plain.substr(colon + 2);
}

class TextInspection {
public:
  TextInspection(const Model &model, std::string entry)
      : kernel_(last_name(model.called())), entry_(std::move(entry)), with_openmp_(uses_openmp(model.compile.arguments)) {
    for (const Token &token : tokens_of(model.closure.text))
      if (token.kind == Token::Kind::Identifier) closure_.insert(token.text);
  }

  std::optional<Suspicion> run(const std::vector<Token> &tokens, const std::string &file) {
    tokens_ = &tokens;
    file_ = file;
    int depth = 0;
    for (std::size_t k = 0; k < tokens.size(); ++k) {
      if (auto found = check(k)) return found;
      if (tokens[k].is("{")) ++depth;
      if (tokens[k].is("}") && --depth < 0) return suspicion(k, "closes a brace that it did not open");
    }
    if (depth != 0) return Suspicion{"leaves a brace open", file_};
    return std::nullopt;
  }

private:
  [[nodiscard]] Suspicion suspicion(std::size_t k, std::string reason) const {
    const Token &token = (*tokens_)[k];
    return {std::move(reason), fmt::format("{}:{}: {}", file_, token.line, token.text.substr(0, 80))};
  }
  [[nodiscard]] bool follows(std::size_t k, std::string_view text) const {
    return k + 1 < tokens_->size() && (*tokens_)[k + 1].is(text);
  }
  [[nodiscard]] bool is_member(std::size_t k) const {
    return k > 0 && ((*tokens_)[k - 1].is(".") || (*tokens_)[k - 1].is("->"));
  }

  [[nodiscard]] std::optional<Suspicion> check(std::size_t k) {
    const Token &token = (*tokens_)[k];
    switch (token.kind) {
    case Token::Kind::Directive:
      return check_directive(k);
    case Token::Kind::Identifier:
      return check_identifier(k);
    case Token::Kind::Punctuation:
      if (token.is("%:") || token.is("??") || token.is("<%") || token.is("%>") || token.is("##") || token.is("\\"))
        return suspicion(k, "hides its text behind digraphs, trigraphs or token pasting");
      if (token.is("[") && follows(k, "[")) return check_attribute(k + 2, "]");
      return std::nullopt;
    default:
      return std::nullopt;
    }
  }

  std::optional<Suspicion> check_identifier(std::size_t k) const {
    const std::string &word = (*tokens_)[k].text;
    if (word == "__attribute__" || word == "__attribute") return check_attribute(k + 3, ")");
    if (word == "_Pragma" || word == "__pragma") return suspicion(k, "uses _Pragma");
    if (word == "asm" || word == "__asm" || word == "__asm__") return suspicion(k, "contains inline assembly");
    if (forbidden_words().count(word) && !closure_.count(word)) return suspicion(k, fmt::format("uses `{}`", word));
    if (begins_with(word, "kopt_") && word != entry_) return suspicion(k, "uses a name that is reserved for the judge");
    if (begins_with(word, "__builtin_") && !is_computing_builtin(word)) return suspicion(k, fmt::format("uses `{}`", word));
    if (begins_with(word, "__sync_") || begins_with(word, "__atomic_")) return suspicion(k, fmt::format("uses `{}`", word));
    if (is_member(k)) return std::nullopt;
    if (word == kernel_ && follows(k, "(") && word != entry_) return suspicion(k, "calls the original kernel");
    const bool called = follows(k, "(") || follows(k, "{");
    if (called && forbidden_calls().count(word) && !closure_.count(word))
      return suspicion(k, fmt::format("calls {}, which reaches outside", word));
    return std::nullopt;
  }

  // Names inside an attribute, up to the bracket that closes it.
  [[nodiscard]] std::optional<Suspicion> check_attribute(std::size_t k, std::string_view closing) const {
    int depth = 0;
    for (; k < tokens_->size(); ++k) {
      const Token &token = (*tokens_)[k];
      if (token.is("(")) ++depth;
      if (depth == 0 && token.is(closing)) return std::nullopt;
      if (token.is(")")) --depth;
      if (depth == 0 && (token.is("target") || token.is("__target__"))) {
        if (auto found = check_target(k)) return found;
        continue;
      }
      if (depth == 0 && token.kind == Token::Kind::Identifier && !allowed_attributes().count(token.text))
        return suspicion(k, fmt::format("uses the attribute `{}`", token.text));
    }
    return std::nullopt;
  }

  // target("avx2,fma"): one literal of features that compute.
  [[nodiscard]] std::optional<Suspicion> check_target(std::size_t k) const {
    const bool is_literal = k + 3 < tokens_->size() && follows(k, "(") && (*tokens_)[k + 2].kind == Token::Kind::Literal &&
                            (*tokens_)[k + 3].is(")");
    const auto features = is_literal ? features_used("target(" + (*tokens_)[k + 2].text + ")") : std::vector<std::string>{};
    const auto unknown = std::find_if_not(features.begin(), features.end(), is_feature);
    if (!features.empty() && unknown == features.end()) return std::nullopt;
    return suspicion(k, "uses the attribute `target` for something else than features of the processor");
  }

  std::optional<Suspicion> check_directive(std::size_t k) {
    const std::vector<Token> words = tokens_of((*tokens_)[k].text.substr(1));
    const std::string name = words.empty() ? "" : words[0].text;
    if (name == "include" || name == "include_next" || name == "import" || name == "embed")
      return suspicion(k, "includes a file");
    if (name == "define" && words.size() > 1) {
      defined_.insert(words[1].text);
      for (std::size_t w = 2; w < words.size(); ++w)
        if (words[w].is("##")) return suspicion(k, "hides its text behind digraphs, trigraphs or token pasting");
      return check_macro_body(k, words);
    }
    if (name == "undef" && words.size() > 1 && !defined_.count(words[1].text))
      return suspicion(k, "removes a macro that it did not define");
    if (name == "pragma") return check_pragma(k, words);
    static const Words allowed = {"", "undef", "if", "ifdef", "ifndef", "else", "elif", "endif"};
    if (!allowed.count(name)) return suspicion(k, fmt::format("uses the directive #{}", name));
    return std::nullopt;
  }

  // What a macro expands to is judged where it is defined; the names of its parameters are of no matter.
  [[nodiscard]] std::optional<Suspicion> check_macro_body(std::size_t k, const std::vector<Token> &words) const {
    TextInspection body(*this);
    body.tokens_ = &words;
    for (std::size_t w = 2; w < words.size(); ++w)
      if (words[w].kind == Token::Kind::Identifier)
        if (auto found = body.check_identifier(w)) return suspicion(k, found->reason);
    return std::nullopt;
  }

  // `omp parallel for` with clauses that leave the team as it is and end with the loop. The kernel's own source must be
  // compiled with OpenMP: else the candidate would be the only one with threads.
  [[nodiscard]] std::optional<Suspicion> check_parallel(std::size_t k, const std::vector<Token> &words) const {
    if (!with_openmp_) return suspicion(k, "starts threads, although the kernel is compiled without OpenMP");
    static const Words allowed = {"for",     "simd",         "schedule",    "static", "dynamic", "guided",    "if",
                                  "private", "firstprivate", "lastprivate", "shared", "default", "reduction", "collapse"};
    int depth = 0;
    bool is_loop = false;
    for (std::size_t w = 3; w < words.size(); ++w) {
      if (words[w].is("(")) ++depth;
      if (words[w].is(")")) --depth;
      if (depth > 0 || words[w].kind != Token::Kind::Identifier) continue;
      if (!allowed.count(words[w].text)) return suspicion(k, fmt::format("uses `{}` on a parallel loop", words[w].text));
      is_loop = is_loop || words[w].is("for");
    }
    return is_loop ? std::nullopt : std::optional(suspicion(k, "runs something else than a loop in parallel"));
  }

  [[nodiscard]] std::optional<Suspicion> check_pragma(std::size_t k, const std::vector<Token> &words) const {
    const std::string family = words.size() > 1 ? words[1].text : "";
    const std::string what = words.size() > 2 ? words[2].text : "";
    if (family == "omp")
      if (auto found = check_macro_body(k, words)) return found; // clauses hold expressions
    if ((family == "GCC" && (what == "unroll" || what == "ivdep" || what == "novector")) ||
        (family == "omp" && what == "simd") || (family == "clang" && what == "loop") || family == "unroll" ||
        family == "nounroll")
      return std::nullopt;
    if (family == "omp" && what == "parallel") return check_parallel(k, words);
    return suspicion(k, "uses a pragma other than unroll, ivdep, omp simd and clang loop");
  }

  std::string kernel_, entry_, file_;
  bool with_openmp_ = false;
  Words closure_, defined_;
  const std::vector<Token> *tokens_ = nullptr;
};

// Functions that any computation may import: libm, libmvec, memory, and what compilers call for exceptions and checks.
bool is_plain_import(const std::string &name) {
  static const Words exact = {"memcpy",
                              "memset",
                              "memmove",
                              "memcmp",
                              "malloc",
                              "calloc",
                              "realloc",
                              "free",
                              "aligned_alloc",
                              "posix_memalign",
                              "__stack_chk_fail",
                              "__cxa_finalize",
                              "__gmon_start__",
                              "_ITM_registerTMCloneTable",
                              "_ITM_deregisterTMCloneTable",
                              "__gxx_personality_v0",
                              "_Unwind_Resume",
                              "__cxa_begin_catch",
                              "__cxa_end_catch",
                              "__cxa_rethrow",
                              "__cxa_throw_bad_array_new_length",
                              "__cxa_call_unexpected",
                              "__cxa_throw",
                              "__cxa_allocate_exception",
                              "__cxa_free_exception",
                              "_ZSt9terminatev"};
  static const Words mathematical = {
      "acos",      "acosh",  "asin",  "asinh", "atan",    "atan2",  "atanh", "cbrt",   "ceil",      "copysign",  "cos",
      "cosh",      "erf",    "erfc",  "exp",   "exp10",   "exp2",   "expm1", "fabs",   "fdim",      "floor",     "fma",
      "fmax",      "fmin",   "fmod",  "frexp", "hypot",   "ilogb",  "ldexp", "lgamma", "llrint",    "llround",   "log",
      "log10",     "log1p",  "log2",  "logb",  "lrint",   "lround", "modf",  "nan",    "nearbyint", "nextafter", "pow",
      "remainder", "remquo", "rint",  "round", "scalbln", "scalbn", "sin",   "sincos", "sinh",      "sqrt",      "tan",
      "tanh",      "tgamma", "trunc", "abs",   "labs",    "llabs"};
  if (exact.count(name)) return true;
  if (begins_with(name, "_ZGV") && name.size() > 4 && name[4] != 'Z' && name[4] != 'N')
    return true;                                                                        // libmvec, not guard variables
  if (begins_with(name, "_Zn") || begins_with(name, "_Zd")) return true;                // operators new and delete
  if (begins_with(name, "_ZTI") || begins_with(name, "_ZTVN10__cxxabiv1")) return true; // types of exceptions
  if (begins_with(name, "_ZSt") && name.find("__throw_") != std::string::npos) return true;
  std::string plain = name;
  if (begins_with(plain, "__") && plain.size() > 9 && plain.substr(plain.size() - 7) == "_finite")
    plain = plain.substr(2, plain.size() - 9);
  if (mathematical.count(plain)) return true;
  return (plain.back() == 'f' || plain.back() == 'l') && mathematical.count(plain.substr(0, plain.size() - 1));
}

// What compilers call for `omp parallel for`.
bool is_parallel_loop(const std::string &name) {
  static const Words exact = {"GOMP_parallel",     "omp_get_num_threads", "omp_get_thread_num",
                              "GOMP_atomic_start", "GOMP_atomic_end",     "GOMP_barrier"};
  return exact.count(name) || begins_with(name, "GOMP_loop_") || begins_with(name, "GOMP_parallel_loop_");
}

std::string without_version(const std::string &name) { return name.substr(0, name.find('@')); }

// Variables of the generated glue: the dispatch's site and the counter.
bool is_glue(const std::string &variable) {
  return begins_with(variable, "kopt_") || variable.find("kopt_here") != std::string::npos || begins_with(variable, "DW.ref.");
}

std::optional<Suspicion> inspect_sections(const ObjectFile &candidate, const ObjectFile &baseline) {
  for (const char *section : {".init_array", ".preinit_array", ".ctors", ".fini_array", ".dtors"})
    if (candidate.size_of(section) > baseline.size_of(section))
      return Suspicion{
          "runs code while it is loaded or unloaded",
          fmt::format("{} holds {} bytes, the original's {}", section, candidate.size_of(section), baseline.size_of(section))};
  for (const auto &[name, size] : candidate.section_sizes) {
    static const Words usual = {"",
                                ".note.gnu.build-id",
                                ".note.gnu.property",
                                ".note.GNU-stack",
                                ".gnu.hash",
                                ".dynsym",
                                ".dynstr",
                                ".gnu.version",
                                ".gnu.version_r",
                                ".rela.dyn",
                                ".rela.plt",
                                ".init",
                                ".plt",
                                ".plt.got",
                                ".plt.sec",
                                ".text",
                                ".fini",
                                ".rodata",
                                ".eh_frame_hdr",
                                ".eh_frame",
                                ".gcc_except_table",
                                ".init_array",
                                ".fini_array",
                                ".data.rel.ro",
                                ".dynamic",
                                ".got",
                                ".got.plt",
                                ".data",
                                ".bss",
                                ".tbss",
                                ".tdata",
                                ".comment",
                                ".symtab",
                                ".strtab",
                                ".shstrtab",
                                ".tm_clone_table",
                                ".rodata.cst",
                                ".hash",
                                ".relr.dyn"};
    if (!usual.count(name) && !begins_with(name, ".debug_") && !begins_with(name, ".gnu.") &&
        !baseline.section_sizes.count(name))
      return Suspicion{"has an unusual section", name};
  }
  return std::nullopt;
}

std::optional<Suspicion> inspect_state(const ObjectFile &candidate, const ObjectFile &baseline) {
  for (const std::string &variable : candidate.variables)
    if (!baseline.variables.count(variable) && !is_glue(variable))
      return Suspicion{"keeps state between calls", "variable " + variable};
  const auto state = [](const ObjectFile &object) {
    return object.size_of(".data") + object.size_of(".bss") + object.size_of(".tdata") + object.size_of(".tbss");
  };
  constexpr std::uint64_t glue = 512;
  if (!candidate.has_symbol_table && state(candidate) > state(baseline) + glue)
    return Suspicion{"keeps state between calls",
                     fmt::format("{} bytes of variables, the original has {}", state(candidate), state(baseline))};
  return std::nullopt;
}

} // namespace

std::optional<Suspicion> inspect_text(std::string_view variant, const Model &model, const std::string &entry) {
  return TextInspection(model, entry).run(tokens_of(variant), "variant.cpp");
}

std::optional<Suspicion> inspect_preprocessed(std::string_view preprocessed, const std::string &file, const Model &model,
                                              const std::string &entry) {
  std::string own;
  bool inside = false;
  const std::string quoted = '"' + file + '"';
  for (std::size_t start = 0; start < preprocessed.size();) {
    const std::size_t end = std::min(preprocessed.find('\n', start), preprocessed.size());
    const std::string_view line = preprocessed.substr(start, end - start);
    if (begins_with(line, "# ") || begins_with(line, "#line "))
      inside = line.find(quoted) != std::string_view::npos;
    else if (inside)
      own.append(line).append("\n");
    start = end + 1;
  }
  return TextInspection(model, entry).run(tokens_of(own), file + " (preprocessed)");
}

std::optional<Suspicion> inspect_object(const ObjectFile &candidate, const ObjectFile &baseline, bool with_openmp) {
  if (candidate.has_indirect_functions && !baseline.has_indirect_functions)
    return Suspicion{"runs code while it is loaded or unloaded", "an indirect function"};
  if (auto found = inspect_sections(candidate, baseline)) return found;
  if (auto found = inspect_state(candidate, baseline)) return found;
  for (const std::string &name : candidate.imports)
    if (!baseline.imports.count(name) && !is_plain_import(without_version(name)) &&
        !(with_openmp && is_parallel_loop(without_version(name))))
      return Suspicion{"uses a function outside itself: " + name, name};
  static const Words abi = {"kopt_abi", "kopt_bind", "kopt_call", "kopt_unbind", "kopt_taken"};
  for (const std::string &name : candidate.exports)
    if (!baseline.exports.count(name) && !abi.count(name)) return Suspicion{"exports a symbol of its own: " + name, name};
  static const Words libraries = {"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "libmvec.so.1"};
  for (const std::string &name : candidate.libraries)
    if (!baseline.libraries.count(name) && !libraries.count(name) && !(with_openmp && name == "libgomp.so.1"))
      return Suspicion{"needs the library " + name, name};
  return std::nullopt;
}

} // namespace kopt
