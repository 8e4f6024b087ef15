#include "mep/dispatch.h"

#include "core/scan.h"
#include "core/slug.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace kopt {
namespace {

const char *const quiet = R"cpp(#ifdef __GNUC__
#pragma GCC diagnostic push
#ifdef __clang__
#pragma GCC diagnostic ignored "-Weverything"
#else
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wfloat-conversion"
#pragma GCC diagnostic ignored "-Wdouble-promotion"
#pragma GCC diagnostic ignored "-Wfloat-equal"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wuseless-cast"
#pragma GCC diagnostic ignored "-Wcast-qual"
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-macros"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wmissing-declarations"
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#endif
)cpp";

const char *const loud = R"cpp(#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif
)cpp";

std::string literal(std::string_view text) { // as a C++ string literal
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c == '\n')
      quoted += "\\n";
    else
      quoted += c;
  }
  return quoted + '"';
}

// Namespaces that the definition's own text names (`void heat::diffuse(`), which the variant must therefore open itself.
std::vector<std::string> namespaces_to_open(const DispatchInput &input) {
  auto chain = declarator_of(own_head(input.anchor_text));
  if (chain.empty()) return {};
  chain.pop_back();
  // Classes may follow: heat::Sums::run.
  const auto is_class = [&](const std::string &name) {
    return std::find(input.namespaces.begin(), input.namespaces.end(), name) == input.namespaces.end();
  };
  chain.erase(std::find_if(chain.begin(), chain.end(), is_class), chain.end());
  return chain;
}

// The leaves that guards use, each one argument of the guard function, in order of first use.
class GuardWriter {
public:
  explicit GuardWriter(const DispatchInput &input) : input_(input) {}

  Result<void> write() {
    for (const auto &guard : input_.plan.guards) {
      if (guard.kind == Guard::Kind::Expression) KOPT_CHECK(condition(guard.expression.front()));
      if (guard.kind == Guard::Kind::Aligned) KOPT_CHECK(aligned(guard));
      if (guard.kind == Guard::Kind::Disjoint) KOPT_CHECK(disjoint(guard));
      if (guard.kind == Guard::Kind::Cpu) cpu(guard);
    }
    return {};
  }

  // `template <...> bool kopt_guards(const T0 &a0, ...)`.
  std::string function() const {
    if (arguments_.empty())
      return "static inline bool kopt_guards() noexcept {\n  bool ok = true;\n" + checks_ + "  return ok;\n}\n";
    std::string types, parameters;
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      types += fmt::format("{}class kopt_T{}", i ? ", " : "", i);
      parameters += fmt::format("{}const kopt_T{} &kopt_a{}", i ? ", " : "", i, i);
    }
    return fmt::format(
        "template <{}>\nstatic inline bool kopt_guards({}) noexcept {{\n  bool ok = true;\n{}{}  return ok;\n}}\n", types,
        parameters, inputs_, checks_);
  }

  std::string call() const { return "kopt_guards(" + arguments() + ")"; }

  std::string arguments() const {
    std::string arguments;
    for (const auto *leaf : arguments_) {
      if (!arguments.empty()) arguments += ", ";
      arguments += leaf_spelling(input_.parameters, *leaf);
    }
    return arguments;
  }

private:
  Result<void> condition(const Expression &expression) {
    KOPT_TRY(text, cpp(expression));
    checks_ += fmt::format("  if (!({}) || !ok) return false; // {}\n", text, expression.text());
    return {};
  }

  // The compiler's own library looks once, when the program starts.
  void cpu(const Guard &guard) {
    checks_ += fmt::format("#if defined(__x86_64__) || defined(__i386__)\n  if (!__builtin_cpu_supports(\"{}\")) return "
                           "false;\n#else\n  ok = false;\n#endif\n",
                           guard.feature);
  }

  Result<void> aligned(const Guard &guard) {
    KOPT_TRY(pointer, pointer_name(guard.pointer));
    checks_ += fmt::format("  if (!::kopt_guard::aligned({}, {})) return false;\n", pointer, guard.bytes);
    return {};
  }

  Result<void> disjoint(const Guard &guard) {
    std::vector<std::string> names;
    for (const auto &span : guard.spans) {
      KOPT_TRY(pointer, pointer_name(span.pointer));
      KOPT_TRY(begin, cpp(span.begin));
      KOPT_TRY(end, cpp(span.end));
      auto size = find(span.pointer)->element.size;
      if (size <= 0)
        return fail(fmt::format("the plan's guard takes a range of '{}', whose elements have no size", span.pointer),
                    input_.slug);
      names.push_back(fmt::format("kopt_r{}", spans_++));
      checks_ += fmt::format("  const ::kopt_guard::span {} = ::kopt_guard::span_of(ok, {}, {}, {}, {}); // {}[{} : {}]\n",
                             names.back(), pointer, begin, end, size, span.pointer, span.begin.text(), span.end.text());
    }
    for (std::size_t i = 0; i < names.size(); ++i)
      for (std::size_t j = i + 1; j < names.size(); ++j)
        checks_ += fmt::format("  if (!ok || !::kopt_guard::disjoint({}, {})) return false;\n", names[i], names[j]);
    return {};
  }

  const Leaf *find(const std::string &path) const {
    auto found = std::find_if(input_.leaves.begin(), input_.leaves.end(),
                              [&](const Leaf &leaf) { return leaf.path == path && leaf.origin != "result"; });
    return found == input_.leaves.end() ? nullptr : &*found;
  }

  std::size_t argument(const Leaf &leaf) {
    auto found = std::find(arguments_.begin(), arguments_.end(), &leaf);
    if (found != arguments_.end()) return static_cast<std::size_t>(found - arguments_.begin());
    arguments_.push_back(&leaf);
    return arguments_.size() - 1;
  }

  Result<std::string> pointer_name(const std::string &path) {
    const Leaf *leaf = find(path);
    const auto parameter = leaf && leaf->parameter >= 0 ? static_cast<std::size_t>(leaf->parameter) : input_.parameters.size();
    const bool is_callers = parameter < input_.parameters.size() && input_.parameters[parameter].passing == "reference";
    if (!leaf || !(leaf->is_pointer() || leaf->origin == "global" || is_callers))
      return fail(fmt::format("the plan's guard names '{}', which is not a pointer of the kernel", path), input_.slug);
    // A scalar stands for its own storage: a member of a reference parameter, or a global, that a pointer might reach.
    return fmt::format("{}kopt_a{}", leaf->is_pointer() ? "" : "&", argument(*leaf));
  }

  Result<std::string> cpp(const Expression &expression) {
    for (const auto &symbol : expression.symbols()) KOPT_CHECK(scalar(symbol));
    return expression.cpp([&](const std::string &path) { return scalars_.at(path); });
  }

  Result<void> scalar(const std::string &path) {
    if (scalars_.count(path)) return {};
    const Leaf *leaf = find(path);
    bool dereference = leaf && is_referenced_object(input_.parameters, *leaf);
    if (!leaf || (leaf->is_pointer() && !dereference) || leaf->element.category == "struct")
      return fail(fmt::format("the plan's guard uses '{}', which is not a scalar of the kernel", path), input_.slug,
                  "guards are over parameters, members of structs and globals by their paths");
    auto index = argument(*leaf);
    scalars_[path] = fmt::format("kopt_s{}", index);
    inputs_ += fmt::format("  const auto kopt_s{} = ::kopt_guard::input(ok, {}kopt_a{}); // {}\n", index,
                           dereference ? "*" : "", index, path);
    return {};
  }

  const DispatchInput &input_;
  std::vector<const Leaf *> arguments_;
  std::map<std::string, std::string> scalars_; // path: local that holds its value
  std::string inputs_, checks_;
  int spans_ = 0;
};

// Macros that stand around the variant: tunables with their values, and whatever the variant defines, so that none is left
// behind.
struct VariantMacros {
  std::string open, close;

  explicit VariantMacros(const DispatchInput &input) {
    auto names = macro_names(input.variant_text);
    for (const auto &[name, value] : input.macros_chosen)
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    for (const auto &name : names) {
      open += fmt::format("#pragma push_macro(\"{}\")\n", name);
      if (auto chosen = input.macros_chosen.find(name); chosen != input.macros_chosen.end())
        open += fmt::format("#undef {}\n#define {} {}\n", name, name, chosen->second);
      close += fmt::format("#undef {}\n#pragma pop_macro(\"{}\")\n", name, name);
    }
  }
};

bool balanced(std::string_view text) {
  int depth = 0;
  for (char c : text) {
    if (c == '(') ++depth;
    if (c == ')' && --depth < 0) return false;
  }
  return depth == 0;
}

// "a && b": the command-line macros that must be defined at all for the variant to be compiled.
std::string presence_condition(const std::map<std::string, std::string> &macros) {
  std::string condition = "1";
  for (const auto &[name, value] : macros) condition += fmt::format(" && defined({})", name.substr(0, name.find('(')));
  return condition;
}

// A constant that tells whether each macro still expands to what its recorded value expands to. A value whose parentheses do
// not match is compared as text.
std::string as_recorded(const std::map<std::string, std::string> &macros) {
  if (macros.empty()) return "constexpr bool kopt_as_recorded = true;\n";
  std::string condition;
  for (const auto &[name, value] : macros)
    condition += fmt::format("{}::kopt_guard::same_text(KOPT_TEXT({}), {})", condition.empty() ? "" : " && ", name,
                             balanced(value) ? fmt::format("KOPT_TEXT({})", value) : literal(value));
  return "#define KOPT_TEXT_(...) #__VA_ARGS__\n#define KOPT_TEXT(...) KOPT_TEXT_(__VA_ARGS__)\nconstexpr bool "
         "kopt_as_recorded = " +
         condition + ";\n#undef KOPT_TEXT\n#undef KOPT_TEXT_\n";
}

std::string arguments_of_variant(const DispatchInput &input) {
  std::string arguments;
  for (const auto &parameter : input.parameters) {
    if (!arguments.empty()) arguments += ", ";
    bool rvalue = parameter.type.size() > 2 && parameter.type.ends_with("&&");
    arguments += rvalue ? fmt::format("static_cast<{}>({})", parameter.type, parameter.name) : parameter.name;
  }
  return arguments;
}

std::string call_of_variant(const DispatchInput &input) { return input.plan.call + "(" + arguments_of_variant(input) + ")"; }

// `{"ns.foo", "app", ...}` of the kernel's site.
std::string site(const DispatchInput &input) {
  return fmt::format("{{{}, {}, 0, 0, 0, 0, 0, nullptr, 0, 0}}", literal(input.slug), literal(input.target));
}

// What KOPT_DISPATCH_<id> stands for in an ordinary function.
std::string head_of_function(const DispatchInput &input, const GuardWriter &guards) {
  return fmt::format("  static ::kopt_site kopt_here = {1}; \\\n"
                     "  ::kopt_scope kopt_call_of(kopt_here); \\\n"
                     "  if (kopt_call_of.on() && kopt_{0}::kopt_as_recorded && kopt_{0}::{2}) {{ \\\n"
                     "    kopt_call_of.took = 1; \\\n"
                     "    return kopt_{0}::{3}; \\\n"
                     "  }}\n",
                     identifier_of(input.slug), site(input), guards.call(), call_of_variant(input));
}

// The same in a template: kopt_instance<false> in the other instantiations.
std::string head_of_template(const DispatchInput &input, const GuardWriter &guards) {
  const std::string arguments = guards.arguments();
  return fmt::format("  typedef kopt_{0}::kopt_instance<({1})> kopt_mine_{0}; \\\n"
                     "  typename kopt_mine_{0}::scope kopt_call_of_{0}; \\\n"
                     "  KOPT_IF_CONSTEXPR (kopt_mine_{0}::is) \\\n"
                     "    if (kopt_mine_{0}::takes(kopt_call_of_{0}{2})) return kopt_mine_{0}::run({3});\n",
                     identifier_of(input.slug), instantiation_condition(input.template_arguments),
                     (arguments.empty() ? "" : ", ") + arguments, arguments_of_variant(input));
}

// The template's parameters as the variant's text may use them.
std::string parameter_names(const DispatchInput &input) {
  std::string text;
  for (const auto &argument : input.template_arguments)
    text += argument.kind == "type" ? fmt::format("using {} = {};\n", argument.name, argument.text)
                                    : fmt::format("constexpr {} {} = {};\n", argument.type, argument.name, argument.text);
  return text;
}

// In a template: what is not of its instantiation need not compile, where the language has a way to say so.
const char *const if_constexpr = R"cpp(#undef KOPT_IF_CONSTEXPR
#if defined(__cpp_if_constexpr) && __cpp_if_constexpr >= 201606L
#define KOPT_IF_CONSTEXPR if constexpr
#else
#define KOPT_IF_CONSTEXPR if
#endif
)cpp";

// kopt_instance<true> for the variant's instantiation, kopt_instance<false> for all others. What the latter returns is only
// there to be compiled.
std::string instance_class(const DispatchInput &input) {
  if (input.template_arguments.empty()) return {};
  const std::string nothing = input.return_type == "void"        ? "void"
                              : input.return_type.ends_with('&') ? "::kopt_guard::nothing_at"
                                                                 : "::kopt_guard::nothing";
  return fmt::format("template <bool Mine> struct kopt_instance {{\n"
                     "  enum {{ is = 0 }};\n"
                     "  struct scope {{}};\n"
                     "  template <class... A> static bool takes(const A &...) noexcept {{ return false; }}\n"
                     "  template <class... A> static {0} run(const A &...) noexcept {{ return {1}; }}\n"
                     "}};\n"
                     "template <> struct kopt_instance<true> {{\n"
                     "  enum {{ is = 1 }};\n"
                     "  static ::kopt_site &here() noexcept {{ static ::kopt_site one = {2}; return one; }}\n"
                     "  struct scope : ::kopt_scope {{ scope() noexcept : ::kopt_scope(here()) {{}} }};\n"
                     "  template <class... A> static bool takes(scope &call, const A &...a) noexcept {{\n"
                     "    if (!call.on() || !kopt_as_recorded || !kopt_guards(a...)) return false;\n"
                     "    call.took = 1;\n"
                     "    return true;\n"
                     "  }}\n"
                     "  template <class... A> static {3} run(A &&...a) {{ return {4}(static_cast<A &&>(a)...); }}\n"
                     "}};\n",
                     nothing, nothing == "void" ? "void()" : nothing + "()", site(input), input.return_type, input.plan.call);
}

Result<void> check(const DispatchInput &input) {
  for (const auto &parameter : input.parameters)
    if (parameter.name.empty())
      return fail("a parameter of the kernel has no name, so a variant cannot be called with it", input.slug,
                  "name every parameter in the kernel's definition");
  for (const char *word : {"constexpr", "consteval"})
    if (has_token(own_head(input.anchor_text), word))
      return fail(fmt::format("the kernel is {}, and such a function cannot hold a dispatch", word), input.slug,
                  fmt::format("drop {} from its definition, or name a kernel that calls it", word));
  return {};
}

} // namespace

DispatchInput dispatch_input(const Model &model) {
  DispatchInput input;
  input.slug = model.slug, input.target = model.target;
  input.namespaces = model.namespaces;
  input.parameters = model.parameters, input.leaves = model.leaves, input.return_type = model.return_type;
  input.variant_name = "variant.cpp";
  input.command_line_macros = model.compile.macros;
  input.template_arguments = model.template_arguments;
  input.anchor_text = model.anchor.text;
  return input;
}

DispatchInput dispatch_input(const Record &record) {
  DispatchInput input;
  input.slug = record.slug, input.target = record.target;
  input.namespaces = record.namespaces;
  input.parameters = record.parameters, input.leaves = record.leaves, input.return_type = record.return_type;
  input.variant_name = record.variant_file;
  input.macros_chosen = record.parameters_chosen;
  input.command_line_macros = record.macros;
  input.template_arguments = record.template_arguments;
  input.anchor_text = record.anchor.text;
  return input;
}

std::string instantiation_condition(const std::vector<TemplateArgument> &arguments, const std::string &same) {
  std::string condition;
  for (const auto &argument : arguments) {
    if (!condition.empty()) condition += " && ";
    condition += argument.kind == "type" ? fmt::format("{}<{}, {}>::value", same, argument.name, argument.text)
                                         : fmt::format("{} == ({})", argument.name, argument.text);
  }
  return condition.empty() ? "true" : condition;
}

Result<AnchoredEdit> dispatch_edit(const DispatchInput &input) {
  KOPT_CHECK(check(input));
  GuardWriter guards(input);
  KOPT_CHECK(guards.write());
  VariantMacros macros(input);
  auto id = identifier_of(input.slug);
  std::string open, close;
  for (const auto &name : namespaces_to_open(input)) open += fmt::format("namespace {} {{ ", name), close += "} ";

  AnchoredEdit edit;
  // extern "C++": the kernel may stand inside extern "C" { }. The unnamed namespace keeps variants of one name in two sources
  // apart.
  edit.before = line_directive(1, "kopt-dispatch") +
                fmt::format("#undef KOPT_DISPATCH_{0}\n#if {1}\n", id, presence_condition(input.command_line_macros)) + quiet +
                macros.open + fmt::format("extern \"C++\" {{ {}namespace kopt_{} {{ namespace {{\n", open, id) +
                parameter_names(input) + line_directive(1, input.variant_name) + input.variant_text +
                (input.variant_text.ends_with('\n') ? "" : "\n") + line_directive(1, "kopt-dispatch") + macros.close +
                as_recorded(input.command_line_macros) + guards.function() + instance_class(input) +
                fmt::format("}} }} {}}}\n", close) + loud;
  const std::string head = input.template_arguments.empty() ? head_of_function(input, guards) : head_of_template(input, guards);
  if (!input.template_arguments.empty()) edit.before += if_constexpr;
  edit.before += fmt::format("#define KOPT_DISPATCH_{0} \\\n{1}#else\n#define KOPT_DISPATCH_{0}\n#endif\n", id, head);
  edit.after = " KOPT_DISPATCH_" + id;
  return edit;
}

bool is_referenced_object(const std::vector<Parameter> &parameters, const Leaf &leaf) {
  if (leaf.origin != "parameter" || !leaf.is_pointer() || leaf.parameter < 0) return false;
  const auto &parameter = parameters.at(static_cast<std::size_t>(leaf.parameter));
  if (parameter.passing != "reference" || leaf.path != parameter.name) return false;
  // A reference to a pointer refers to an object whose type ends in `*`, perhaps with qualifiers.
  auto star = parameter.object_type.rfind('*');
  if (star == std::string::npos) return true;
  auto rest = parameter.object_type.substr(star + 1);
  return rest.find_first_of(")]>") != std::string::npos;
}

std::string global_spelling(const std::string &symbol) {
  std::string name = "::" + symbol;
  if (symbol.starts_with("::")) name = symbol;
  static const std::string anonymous = "(anonymous namespace)::";
  for (auto at = name.find(anonymous); at != std::string::npos; at = name.find(anonymous)) name.erase(at, anonymous.size());
  return name;
}

std::string leaf_spelling(const std::vector<Parameter> &parameters, const Leaf &leaf) {
  if (leaf.origin == "global") {
    auto member = leaf.path.starts_with(leaf.symbol)                   ? leaf.path.substr(leaf.symbol.size())
                  : leaf.path.find_first_of(".[") == std::string::npos ? ""
                                                                       : leaf.path.substr(leaf.path.find_first_of(".["));
    return global_spelling(leaf.symbol) + member;
  }
  return is_referenced_object(parameters, leaf) ? "&" + leaf.path : leaf.path;
}

} // namespace kopt
