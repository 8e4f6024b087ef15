#include "program.h"

#include "mep/dispatch.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace kopt::fuzz {

namespace {

char type_letter(const Sample &sample, const Array &array) {
  if (array.is_index) return 'x';
  return sample.element == "unsigned" ? 'u' : sample.element[0];
}

// `k3::c0::heat::k3(n, (const double *)a[0], ...)`, or the call of the tracer.
std::string call_of(const Sample &sample, const std::string &space, bool traced) {
  std::vector<std::string> arguments;
  for (std::string argument : sample.arguments) {
    if (const auto mark = argument.find("{ns}"); mark != std::string::npos) argument.replace(mark, 4, space);
    if (argument.starts_with('@')) {
      const auto number = static_cast<std::size_t>(std::stoi(argument.substr(1)));
      const Array &array = sample.arrays[number];
      const std::string element = array.is_index ? "int" : sample.element, type = (array.is_written ? "" : "const ") + element;
      if (traced)
        argument = array.view == Array::View::Reference ? fmt::format("fuzz::Traced<{}>{{t + {}}}[0]", element, number)
                                                        : fmt::format("{{t + {}}}", number);
      else if (array.view == Array::View::Reference)
        argument = fmt::format("*static_cast<{} *>(a[{}])", type, number);
      else
        argument =
            fmt::format("reinterpret_cast<{} {}>(a[{}])", type, array.view == Array::View::Rows ? "(*)[96]" : "*", number);
    }
    arguments.push_back(argument);
  }
  return fmt::format("{}{}{}({})", space, sample.scope, sample.name, fmt::join(arguments, ", "));
}

std::string calling(const Sample &sample, const std::string &space) {
  const std::string call = call_of(sample, fmt::format("{}s{}::", space, sample.seed), false);
  return fmt::format("[](const fuzz::Sizes &s, void *const *a) -> double {{\n    const auto [n, m, p, ld] = s;\n"
                     "    (void)n, (void)m, (void)p, (void)ld;\n    {}\n  }}",
                     sample.returns == "void" ? call + ";\n    return 0;" : fmt::format("return {};", call));
}

std::string tracer_of(const Sample &sample) {
  const std::string open = sample.scope.empty() ? "" : "namespace heat {\n", close = sample.scope.empty() ? "" : "}\n";
  return fmt::format("namespace tracer {{\nusing fuzz::Traced;\nusing fuzz::TracedRows;\n{}{}{}{}}}\n", sample.prefix, open,
                     sample.tracer, close);
}

// The defaults, and the smallest value of each.
std::vector<std::map<std::string, std::string>> values_of(const Proposal &proposal) {
  std::map<std::string, std::string> smallest;
  for (const ParameterRange &range : proposal.tunables)
    smallest[range.macro] = *std::min_element(range.values.begin(), range.values.end(),
                                              [](const auto &a, const auto &b) { return std::stol(a) < std::stol(b); });
  std::vector<std::map<std::string, std::string>> values{proposal.variant.parameters};
  if (smallest != proposal.variant.parameters && !smallest.empty()) values.push_back(smallest);
  return values;
}

std::string label_of(const Proposal &proposal, const std::map<std::string, std::string> &values) {
  std::string label = fmt::format("{}", fmt::join(proposal.variant.patterns, ", "));
  std::vector<std::string> settings;
  for (const auto &[macro, value] : values) settings.push_back(macro + "=" + value);
  return settings.empty() ? label : fmt::format("{}; {}", label, fmt::join(settings, " "));
}

class Text {
public:
  Result<void> add(const Subject &subject) {
    const Sample &sample = subject.sample;
    const std::string &name = sample.name;
    text +=
        fmt::format("namespace {} {{\n{}namespace original {{\n{}\n}}\n", name, tracer_of(sample), subject.model.closure.text);
    std::string candidates;
    int number = 0;
    for (const Proposal &proposal : subject.proposals)
      for (const auto &values : values_of(proposal)) {
        KOPT_TRY(edited, with_variant(subject.model, proposal.variant, values));
        text += fmt::format("namespace c{} {{\n{}\n}}\n", number, edited);
        candidates += fmt::format("    {{\"{}\", {}, {}}},\n", label_of(proposal, values), is_exact(proposal),
                                  calling(sample, fmt::format("{}::c{}::", name, number)));
        ++number;
      }
    std::vector<std::string> arrays, sharings;
    for (const Array &array : sample.arrays)
      arrays.push_back(
          fmt::format("{{'{}', {}, \"{}\"}}", type_letter(sample, array), array.is_index ? array.axes[0] : 0, array.name));
    for (const Sharing &sharing : sample.sharings)
      sharings.push_back(fmt::format("{{{}, {}, {}}}", sharing.first, sharing.second, sharing.shift));
    text += fmt::format("static const fuzz::Kernel kernel = {{\"{}\", {}, {{{}}}, {{{}}},\n", name, sample.is_cubic,
                        fmt::join(arrays, ", "), fmt::join(sharings, ", "));
    text += fmt::format("  [](const fuzz::Sizes &s, fuzz::Track *t) {{\n    const auto [n, m, p, ld] = s;\n"
                        "    (void)n, (void)m, (void)p, (void)ld;\n    {};\n  }},\n  {},\n  {{\n{}  }}}};\n}}\n",
                        call_of(sample, name + "::tracer::", true), calling(sample, name + "::original::"), candidates);
    kernels.push_back("&" + name + "::kernel");
    return {};
  }

  std::string text;
  std::vector<std::string> kernels;

private:
  static bool is_exact(const Proposal &proposal) { return proposal.variant.precision.empty(); }

  static Result<std::string> with_variant(const Model &model, const Variant &variant,
                                          const std::map<std::string, std::string> &values) {
    DispatchInput input = dispatch_input(model);
    KOPT_TRY(plan, Plan::parse(variant.plan, "plan.txt"));
    input.plan = plan;
    input.variant_text = variant.text;
    input.macros_chosen = values;
    KOPT_TRY(edit, dispatch_edit(input));
    return apply_edit(model.closure.text, model.closure.anchor_offset, model.closure.anchor_length, model.name, edit);
  }
};

constexpr const char *prologue = R"cpp(#include <algorithm>
#include <cmath>
#include <cstddef>
#include "harness.h"
)cpp";

constexpr const char *epilogue = R"cpp(namespace fuzz {
unsigned long long taken = 0;
}
extern "C" int kopt_enter(kopt_site *) noexcept { return 1; }
extern "C" void kopt_leave(kopt_site *, unsigned long long, int took) noexcept { fuzz::taken += static_cast<unsigned>(took); }
extern "C" unsigned long long kopt_now(void) noexcept { return 0; }
)cpp";

} // namespace

bool is_structural(const Proposal &proposal) {
  static const std::set<std::string> keywords{"restrict", "independent iterations", "avx2", "avx2 with fma"};
  return std::any_of(proposal.variant.patterns.begin(), proposal.variant.patterns.end(),
                     [&](const std::string &pattern) { return !keywords.contains(pattern); });
}

Result<std::string> program_of(const std::vector<Subject> &subjects) {
  Text body;
  for (const Subject &subject : subjects) KOPT_CHECK(body.add(subject));
  return prologue + dispatch_prelude() + body.text + epilogue +
         fmt::format("int main() {{ return fuzz::run({{{}}}); }}\n", fmt::join(body.kernels, ", "));
}

} // namespace kopt::fuzz
