#include "mep/probe.h"

#include "core/scan.h"
#include "core/slug.h"
#include "mep/dispatch.h"
#include "mep/header.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>

namespace kopt {
namespace {

// Flags of a leaf, shared with kopt_capture.cpp.
enum : int { leaf_pointer = 1, leaf_written = 2, leaf_unused = 4, leaf_shape = 8 };

const char *const prelude = R"cpp(#ifndef KOPT_PROBE_PRELUDE
#define KOPT_PROBE_PRELUDE
struct kopt_probe_leaf {
  const char *path;
  const volatile void *address;
  unsigned long long size;
  long long first, end;
  int flags;
};
struct kopt_probe_site {
  const char *slug;
  void *state;
};
struct kopt_probe_visit {
  kopt_probe_site *site;
  const kopt_probe_leaf *leaves;
  int count, on;
  void *group;
  unsigned long long start;
};
extern "C" void kopt_probe_enter(kopt_probe_visit *);
extern "C" void kopt_probe_leave(kopt_probe_visit *, const volatile void *, unsigned long long);
extern "C" void kopt_probe_exit(kopt_probe_visit *);
// One call of a kernel, from its entry to its exit; the recorder drops it where it ends by an exception.
struct kopt_probe_call {
  kopt_probe_visit visit;
  kopt_probe_call() { visit.on = 0; }
  kopt_probe_call(kopt_probe_site *at, const kopt_probe_leaf *with, int number) { enter(at, with, number); }
  void enter(kopt_probe_site *at, const kopt_probe_leaf *with, int number) {
    visit.site = at;
    visit.leaves = with;
    visit.count = number;
    kopt_probe_enter(&visit);
  }
  kopt_probe_call(const kopt_probe_call &) = delete;
  kopt_probe_call &operator=(const kopt_probe_call &) = delete;
  ~kopt_probe_call() {
    if (visit.on) kopt_probe_exit(&visit);
  }
  bool recorded() const { return visit.on == 1; }
  void leave(const volatile void *result, unsigned long long size) { kopt_probe_leave(&visit, result, size); }
};
inline long long kopt_probe_larger(long long a, long long b) { return a < b ? b : a; }
inline long long kopt_probe_smaller(long long a, long long b) { return a < b ? a : b; }
// For the probe of one instantiation of a template.
template <class A, class B> struct kopt_probe_same {
  enum : bool { value = false };
};
template <class A> struct kopt_probe_same<A, A> {
  enum : bool { value = true };
};
#if defined(__cpp_if_constexpr) && __cpp_if_constexpr >= 201606L
#define KOPT_PROBE_IF if constexpr
#else
#define KOPT_PROBE_IF if
#endif
// Where a scalar's bytes are: `offset` into an object.
template <class T> const volatile void *kopt_probe_at(const T &object, long offset) {
  return reinterpret_cast<const volatile char *>(&reinterpret_cast<const volatile char &>(object)) + offset;
}
// Where a pointer leaf points: the pointer `offset` into an object, or the array itself.
template <class T> const volatile void *kopt_probe_to(const T &object, long offset) {
  void *pointer;
  __builtin_memcpy(&pointer, const_cast<const void *>(kopt_probe_at(object, offset)), sizeof pointer);
  return pointer;
}
template <class T, __SIZE_TYPE__ N> const volatile void *kopt_probe_to(const T (&array)[N], long offset) {
  return kopt_probe_at(array, offset);
}
#endif
)cpp";

// How a leaf that is a plain value of the kernel's text reads there; nothing for one that is not.
std::optional<std::string> value_of(const Model &model, const std::string &path) {
  const Leaf *leaf = model.leaf(path);
  if (!leaf) return std::nullopt;
  if (is_referenced_object(model.parameters, *leaf)) return leaf->path;
  if (leaf->is_pointer()) return std::nullopt;
  return leaf_spelling(model.parameters, *leaf);
}

// A polynomial over scalar leaves as C++ in long long.
std::optional<std::string> sum_of(const Model &model, const Polynomial &polynomial) {
  std::string sum = "0LL";
  for (const auto &[monomial, coefficient] : polynomial.terms()) {
    sum += fmt::format(" + ({}LL)", coefficient);
    for (const auto &symbol : monomial) {
      auto value = value_of(model, symbol);
      if (!value) return std::nullopt;
      sum += fmt::format(" * static_cast<long long>({})", *value);
    }
  }
  return sum;
}

// The elements that the kernel touches through a pointer leaf, "first, end" as C++ in long long: none where its loops do not
// run; an end of -1 where the model does not know it.
std::string extent_of(const Model &model, const Leaf &leaf) {
  const std::string unknown = "0LL, -1LL";
  if (!leaf.extent) return unknown;
  std::string first = "0LL", end = "0LL";
  for (const Polynomial &bound : leaf.extent->first) {
    const auto sum = sum_of(model, bound);
    if (!sum) return unknown;
    first = fmt::format("::kopt_probe_smaller({}, {})", first, *sum);
  }
  for (const Polynomial &bound : leaf.extent->end) {
    const auto sum = sum_of(model, bound);
    if (!sum) return unknown;
    end = fmt::format("::kopt_probe_larger({}, {})", end, *sum);
  }
  return first + ", " + end;
}

// The object that holds a leaf: a parameter or a global.
std::string object_of(const Model &model, const Leaf &leaf) {
  return leaf.origin == "global" ? global_spelling(leaf.symbol)
                                 : model.parameters.at(static_cast<std::size_t>(leaf.parameter)).name;
}

// Integers that tell one shape of call from another: sizes and flags, not tables or counters.
bool is_shape(const Leaf &leaf) {
  constexpr int few = 8;
  const auto &category = leaf.element.category;
  const bool is_counter =
      leaf.access == "write" || leaf.access == "readwrite" || (leaf.origin == "global" && leaf.may_be_written());
  return !leaf.is_pointer() && !is_counter && leaf.access != "none" && leaf.count <= few &&
         (category == "integer" || category == "bool" || category == "enum");
}

// Whether the caller sees what the kernel writes to a leaf: memory, globals, objects passed by reference.
bool outlives_the_call(const Model &model, const Leaf &leaf) {
  return leaf.is_pointer() || leaf.origin == "global" ||
         model.parameters.at(static_cast<std::size_t>(leaf.parameter)).passing == "reference";
}

std::string size_name(const Model &model, const Leaf &leaf) { return fmt::format("kopt_size_{}", &leaf - model.leaves.data()); }

// `{"g.nx", address, size, first, end, flags}`.
std::string leaf_entry(const Model &model, const Leaf &leaf) {
  const int flags = (leaf.is_pointer() ? leaf_pointer : 0) |
                    (leaf.may_be_written() && outlives_the_call(model, leaf) ? leaf_written : 0) |
                    (leaf.access == "none" ? leaf_unused : 0) | (is_shape(leaf) ? leaf_shape : 0);
  if (leaf.is_of_container() && !leaf.is_pointer()) // size() is no object that could be pointed at
    return fmt::format("{{\"{}\", &{}, {}, 0, -1, {}}}", leaf.path, size_name(model, leaf), leaf.element.size, flags);
  const bool follow = leaf.is_pointer() && !leaf.is_array() && !is_referenced_object(model.parameters, leaf);
  return fmt::format("{{\"{}\", ::kopt_probe_{}({}, {}), {}, {}, {}}}", leaf.path, follow ? "to" : "at", object_of(model, leaf),
                     leaf.offset, leaf.element.size * (leaf.is_pointer() ? 1 : leaf.count), extent_of(model, leaf), flags);
}

std::string own_call(const Model &model, const std::string &name) {
  std::string arguments;
  for (const auto &parameter : model.parameters) {
    if (!arguments.empty()) arguments += ", ";
    const bool rvalue = parameter.type.ends_with("&&");
    arguments += rvalue ? fmt::format("static_cast<{}>({})", parameter.type, parameter.name) : parameter.name;
  }
  return fmt::format("{}({})", name, arguments);
}

// How the kernel calls itself: a template with its own parameters, which is right in each of its instantiations.
std::string own_name(const Model &model) {
  std::string name = model.called();
  if (model.template_arguments.empty()) return name;
  std::string arguments;
  for (const auto &argument : model.template_arguments) arguments += (arguments.empty() ? "" : ", ") + argument.name;
  return name.substr(0, name.find('<')) + "<" + arguments + ">";
}

bool holds_pointers(const Leaf &leaf) {
  auto is_address = [](const Field &field) { return field.category == "other" && field.size == 8; };
  return leaf.element.type.ends_with('*') || std::any_of(leaf.element.fields.begin(), leaf.element.fields.end(), is_address);
}

Result<void> check(const Model &model) {
  const std::string remedy = "give this kernel CASES instead";
  for (const char *word : {"constexpr", "consteval"})
    if (has_token(own_head(model.anchor.text), word))
      return fail(fmt::format("a {} kernel cannot be recorded", word), model.name, remedy);
  for (const auto &parameter : model.parameters)
    if (parameter.name.empty() || !has_token(model.anchor.text, parameter.name))
      return fail("a parameter has no name, so its value cannot be recorded", model.name, "name every parameter of the kernel");
  for (const auto &leaf : model.leaves)
    if (leaf.is_pointer() && leaf.access != "none" && holds_pointers(leaf))
      return fail(fmt::format("'{}' leads to pointers, which a recording cannot hold", leaf.path), model.name, remedy);
  return {};
}

} // namespace

std::string probe_prelude() { return prelude; }

Result<AnchoredEdit> probe_edit(const Model &model) {
  KOPT_CHECK(check(model));
  std::string leaves, sizes;
  int count = 0;
  for (const auto &leaf : model.leaves) {
    if (leaf.origin == "result") continue;
    if (leaf.is_of_container() && !leaf.is_pointer())
      sizes += fmt::format("const auto {} = {}; ", size_name(model, leaf), leaf_spelling(model.parameters, leaf));
    leaves += (count++ ? ", " : "") + leaf_entry(model, leaf);
  }
  if (count == 0) leaves = "{\"\", nullptr, 0, 0, 0, 4}";
  const auto call = own_call(model, own_name(model));
  const bool returns = model.return_type != "void";
  AnchoredEdit edit; // at the scope of the body: kopt_call ends, and takes the time, with it
  const std::string visit = model.template_arguments.empty() ? "kopt_call" : "kopt_call_" + identifier_of(model.slug);
  if (!model.template_arguments.empty()) // only in its instantiation, and beside the probes of others
    edit.after = fmt::format(" ::kopt_probe_call {}; KOPT_PROBE_IF ({}) {{", visit,
                             instantiation_condition(model.template_arguments, "::kopt_probe_same"));
  edit.after += fmt::format(" static ::kopt_probe_site kopt_site = {{\"{}\", nullptr}}; {}"
                            "const ::kopt_probe_leaf kopt_leaves[] = {{{}}}; ",
                            model.slug, sizes, leaves);
  edit.after += model.template_arguments.empty()
                    ? fmt::format("::kopt_probe_call {}(&kopt_site, kopt_leaves, {}); ", visit, count)
                    : fmt::format("{}.enter(&kopt_site, kopt_leaves, {}); ", visit, count);
  edit.after += fmt::format("if ({}.recorded()) {{ ", visit);
  edit.after += returns ? fmt::format("auto &&kopt_result = {}; "
                                      "{}.leave(::kopt_probe_at(kopt_result, 0), sizeof kopt_result); "
                                      "return static_cast<decltype(kopt_result)>(kopt_result); }}",
                                      call, visit)
                        : fmt::format("{}; {}.leave(nullptr, 0); return; }}", call, visit);
  if (!model.template_arguments.empty()) edit.after += " }";
  return edit;
}

InstrumentedSource instrument(const Disk &disk, const std::string &original, const std::string &file,
                              const std::vector<Model> &models) {
  InstrumentedSource source;
  std::map<std::string, std::string> texts{{file, original}}; // the source and headers with kernels
  std::map<std::string, Edits> edits;
  for (const auto &model : models) {
    const auto &homes = model.sources;
    if (model.anchor.file != file && std::find(homes.begin(), homes.end(), file) == homes.end()) continue;
    if (!texts.contains(model.anchor.file)) texts[model.anchor.file] = disk.read(model.anchor.file).value_or("");
    auto offset = find_anchor(texts[model.anchor.file], model.anchor);
    auto edit = offset ? probe_edit(model) : tl::make_unexpected(offset.error());
    if (edit)
      edits[model.anchor.file].add(*offset, static_cast<long>(model.anchor.text.size()), *edit);
    else
      source.problems.push_back(edit.error());
  }
  Edits all = edits[file];
  for (const auto &[header, inside] : edits) {
    if (header == file) continue;
    if (auto done = put_in_header(disk, original, file, header, texts[header], inside, all); !done)
      source.problems.push_back(done.error());
  }
  source.text = (all.empty() ? "" : probe_prelude()) + all.apply(original, file);
  return source;
}

} // namespace kopt
