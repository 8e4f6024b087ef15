#include "mep/source.h"

#include "mep/dispatch.h"

#include <algorithm>
#include <fmt/format.h>

namespace kopt {
namespace {

std::string without_anonymous(std::string type) {
  static const std::string anonymous = "(anonymous namespace)::";
  for (auto at = type.find(anonymous); at != std::string::npos; at = type.find(anonymous)) type.erase(at, anonymous.size());
  return type;
}

std::size_t bytes_of(const Leaf &leaf) {
  return static_cast<std::size_t>(leaf.element.size) * static_cast<std::size_t>(leaf.count);
}

std::size_t array_bytes(const Leaf &leaf) {
  return static_cast<std::size_t>(leaf.extent ? leaf.extent->end.front().constant() * leaf.element.size : 0);
}

// How a vector is laid out is not in its interface: begin, end, end of storage, as in libstdc++ and libc++; checked each time.
const char *const containers = R"cpp(
static inline void kopt_fill_vector(unsigned char *object, void *data, const void *size, unsigned long element) {
  __SIZE_TYPE__ count;
  __builtin_memcpy(&count, size, sizeof count);
  void *const words[3] = {data, static_cast<char *>(data) + count * element, static_cast<char *>(data) + count * element};
  __builtin_memcpy(object, words, sizeof words);
}
template <class T> static inline void kopt_check(T &object, const void *data, const void *size) {
  __SIZE_TYPE__ count;
  __builtin_memcpy(&count, size, sizeof count);
  if (object.data() != data || object.size() != count) __builtin_trap();
}
)cpp";

// Writes the glue of one model. The kernel's parameters are objects in static storage, rebuilt from leaves before each call.
class GlueWriter {
public:
  explicit GlueWriter(const Model &model) : model_(model) {}

  std::string write() {
    for (std::size_t p = 0; p < model_.parameters.size(); ++p) parameter(p);
    for (std::size_t k = 0; k < model_.leaves.size(); ++k)
      if (model_.leaves[k].origin == "global") global(k);
    call();
    return text();
  }

private:
  template <typename Size> static std::string copy(const std::string &to, const std::string &from, const Size &size) {
    return fmt::format("  __builtin_memcpy({}, {}, {});\n", to, from, size);
  }

  void parameter(std::size_t p) {
    const auto &parameter = model_.parameters[p];
    types_ += fmt::format("typedef kopt_identity<{}>::type type_{};\n", without_anonymous(parameter.type), p);
    types_ += fmt::format("typedef kopt_identity<{}>::type object_type_{};\n", without_anonymous(parameter.object_type), p);
    signature_ += fmt::format("{}type_{}", p ? ", " : "", p);
    arguments_ += p ? ", " : "";
    if (const int k = referenced_object(parameter); k >= 0) {
      arguments_ += fmt::format("static_cast<type_{0}>(*static_cast<object_type_{0} *>(leaves[{1}]))", p, k);
      return;
    }
    arguments_ += fmt::format("static_cast<type_{0}>(*reinterpret_cast<object_type_{0} *>(object_{0}))", p);
    types_ += fmt::format("static_assert(sizeof(object_type_{0}) == {1}, \"parameter {2}\");\nalignas({3}) static unsigned "
                          "char object_{0}[{1}];\n",
                          p, parameter.size, parameter.name, std::max(parameter.alignment, 1));
    bind_ += fmt::format("  __builtin_memset(object_{0}, 0, sizeof object_{0});\n", p);
    for (int index : parameter.leaves) member(p, index);
  }

  int referenced_object(const Parameter &parameter) const {
    for (int k : parameter.leaves)
      if (is_referenced_object(model_.parameters, model_.leaves.at(static_cast<std::size_t>(k)))) return k;
    return -1;
  }

  void member(std::size_t p, int index) {
    const auto &leaf = model_.leaves.at(static_cast<std::size_t>(index));
    auto place = fmt::format("object_{} + {}", p, leaf.offset);
    if (leaf.is_of_container()) return container(p, index, place);
    if (leaf.is_array()) return array(index, place, model_.parameters[p].passing == "reference");
    if (leaf.is_pointer()) {
      bind_ += copy(place, fmt::format("&leaves[{}]", index), sizeof(void *));
      return;
    }
    bind_ += copy(place, fmt::format("leaves[{}]", index), bytes_of(leaf));
    if (model_.parameters[p].passing == "reference" && leaf.may_be_written())
      unbind_ += copy(fmt::format("leaves[{}]", index), place, bytes_of(leaf));
  }

  // A container is made over the memory of its leaf, with size() if it has one behind data(), and never destroyed.
  void container(std::size_t p, int index, const std::string &place) {
    const auto &leaf = model_.leaves.at(static_cast<std::size_t>(index));
    if (leaf.is_pointer()) {
      bind_ += copy(place, fmt::format("&leaves[{}]", index), sizeof(void *));
      return;
    }
    const auto &name = model_.parameters[p].name;
    const auto member = leaf.path.substr(name.size(), leaf.path.rfind('.') - name.size());
    const auto memory = fmt::format("leaves[{}], leaves[{}]", index - 1, index);
    if (leaf.storage == "vector")
      bind_ += fmt::format("  kopt_fill_vector({}, {}, {});\n", place, memory,
                           model_.leaves.at(static_cast<std::size_t>(index - 1)).element.size);
    else
      bind_ += copy(place + " + sizeof(void *)", fmt::format("leaves[{}]", index), bytes_of(leaf));
    bind_ += fmt::format("  kopt_check((*reinterpret_cast<object_type_{0} *>(object_{0})){1}, {2});\n", p, member, memory);
    has_containers_ = true;
  }

  // An array inside an object is copied there and back.
  void array(int index, const std::string &place, bool outlives_the_call) {
    const auto &leaf = model_.leaves.at(static_cast<std::size_t>(index));
    const auto bytes = array_bytes(leaf);
    bind_ += copy(place, fmt::format("leaves[{}]", index), bytes);
    if (outlives_the_call && leaf.may_be_written()) unbind_ += copy(fmt::format("leaves[{}]", index), place, bytes);
  }

  // A global is put back to its first value before it is set, so that a case without a value for it sees what the application
  // starts with.
  void global(std::size_t k) {
    const auto &leaf = model_.leaves[k];
    const bool address = leaf.is_pointer() && !leaf.is_array();
    auto size = leaf.is_array() ? array_bytes(leaf) : address ? sizeof(void *) : bytes_of(leaf);
    auto place = fmt::format("global_{}()", k);
    auto leaf_bytes = fmt::format("{}leaves[{}]", address ? "&" : "", k);
    globals_ += fmt::format("static unsigned char initial_{0}[{1}];\n"
                            "static unsigned char *global_{0}() {{ return const_cast<unsigned char *>(reinterpret_cast<const "
                            "volatile unsigned char *>("
                            "__builtin_addressof({2}))) + {3}; }}\n",
                            k, size, global_spelling(leaf.symbol), leaf.offset);
    save_ += "  " + copy(fmt::format("initial_{}", k), place, size);
    restore_ += copy(place, fmt::format("initial_{}", k), size);
    bind_ += fmt::format("  if (leaves[{}])", k) + copy(place, leaf_bytes, size);
    if (!address && leaf.may_be_written()) unbind_ += fmt::format("  if (leaves[{}])", k) + copy(leaf_bytes, place, size);
  }

  void call() {
    auto run = fmt::format("kopt_kernel({})", arguments_);
    bool wanted =
        std::any_of(model_.leaves.begin(), model_.leaves.end(), [](const Leaf &leaf) { return leaf.origin == "result"; });
    if (!wanted || model_.return_type == "void") {
      call_ = "  " + run + ";\n";
      return;
    }
    if (model_.return_type.ends_with('&')) { // the object that the reference leads to
      types_ += "static const volatile void *result_object;\n";
      call_ = "  result_object = __builtin_addressof(" + run + ");\n";
    } else {
      types_ += "alignas(result_type) static unsigned char kopt_result[sizeof(result_type)];\n";
      call_ = "  const result_type value = " + run + ";\n  __builtin_memcpy(kopt_result, &value, sizeof value);\n";
    }
    for (std::size_t k = 0; k < model_.leaves.size(); ++k) result_leaf(k);
  }

  void result_leaf(std::size_t k) {
    const auto &leaf = model_.leaves[k];
    if (leaf.origin != "result" || leaf.is_pointer()) return; // an address means nothing elsewhere
    auto from = model_.return_type.ends_with('&')
                    ? "static_cast<const unsigned char *>(const_cast<const void *>(result_object))"
                    : "kopt_result";
    unbind_ += fmt::format("  if (leaves[{}])", k) +
               copy(fmt::format("leaves[{}]", k), fmt::format("{} + {}", from, leaf.offset), bytes_of(leaf));
  }

  std::string text() const {
    std::string open, close, scope = "::";
    for (const auto &name : model_.namespaces) {
      open += name.empty() ? "namespace { " : fmt::format("namespace {} {{ ", name);
      close += "} ";
      if (!name.empty()) scope += name + "::";
    }
    std::string text = line_directive(1, "kopt-glue") + "template <class T> struct kopt_identity { typedef T type; };\n" +
                       open + "\nnamespace kopt_glue {\n";
    if (has_containers_) text += containers;
    text += fmt::format("typedef kopt_identity<{}>::type result_type;\n", without_anonymous(model_.return_type)) + types_ +
            call_operator();
    // Volatile: called as from another source, neither inlined nor specialized.
    text += fmt::format("static result_type (*volatile kopt_kernel)({0}) = static_cast<result_type (*)({0})>(&{1});\n",
                        signature_, function()) +
            globals_;
    text +=
        fmt::format("static void bind(void *const *leaves) {{\n  (void)leaves;\n{}{}{}}}\n", keep_initial(), restore_, bind_);
    text += fmt::format("static void call(void *const *leaves) {{\n  (void)leaves;\n{}}}\n", call_);
    text += fmt::format("static void unbind(void *const *leaves) {{\n  (void)leaves;\n{}}}\n}} {}\n", unbind_, close);
    return text + exports(scope + "kopt_glue::");
  }

  [[nodiscard]] bool is_call_operator() const { return model_.called().ends_with("::operator()"); }
  [[nodiscard]] std::string function() const { return is_call_operator() ? "kopt_operator" : model_.called(); }

  // A call operator without state as a function.
  [[nodiscard]] std::string call_operator() const {
    if (!is_call_operator()) return {};
    std::string parameters, arguments;
    for (std::size_t p = 0; p < model_.parameters.size(); ++p) {
      parameters += fmt::format("{0}type_{1} a{1}", p ? ", " : "", p);
      arguments += fmt::format("{0}static_cast<type_{1} &&>(a{1})", p ? ", " : "", p);
    }
    const std::string callee = model_.called(), made = callee.substr(0, callee.rfind("::")) + "()";
    return fmt::format("static result_type kopt_operator({}) {{ return {}({}); }}\n", parameters, made, arguments);
  }

  std::string keep_initial() const {
    return save_.empty() ? ""
                         : fmt::format("  static bool saved = false;\n  if (!saved) {{\n{}    saved = true;\n  }}\n", save_);
  }

  static std::string exports(const std::string &scope) {
    std::string text = "#define KOPT_EXPORT __attribute__((visibility(\"default\")))\nextern \"C\" {\n"
                       "extern KOPT_EXPORT const int kopt_abi;\nconst int kopt_abi = 1;\n"
                       "extern KOPT_EXPORT unsigned long long kopt_taken;\nunsigned long long kopt_taken = 0;\n";
    for (const char *function : {"bind", "call", "unbind"})
      text += fmt::format(
          "KOPT_EXPORT void kopt_{0}(void *const *leaves);\nvoid kopt_{0}(void *const *leaves) {{ {1}{0}(leaves); }}\n",
          function, scope);
    // The original asks as well, so that both objects hold what the compiler's library needs for the answer.
    text += "#if defined(__x86_64__) || defined(__i386__)\n__attribute__((used)) static int kopt_cpu_asked() { return "
            "__builtin_cpu_supports(\"avx\"); }\n#endif\n";
    // Where a variant is dispatched: always on unless a MEP's main says otherwise.
    return text + "#ifdef KOPT_PRELUDE\nextern int kopt_on;\nint kopt_on = 1;\n"
                  "int kopt_enter(kopt_site *) noexcept { return kopt_on; }\n"
                  "void kopt_leave(kopt_site *, unsigned long long, int took_variant) noexcept { kopt_taken += took_variant ? "
                  "1 : 0; }\n"
                  "unsigned long long kopt_now(void) noexcept { return 0; }\n"
                  "#endif\n}\n#undef KOPT_EXPORT\n";
  }

  const Model &model_;
  bool has_containers_ = false;
  std::string types_, signature_, arguments_, globals_, save_, restore_, bind_, call_, unbind_;
};

} // namespace

std::string glue_source(const Model &model) { return GlueWriter(model).write(); }

} // namespace kopt
