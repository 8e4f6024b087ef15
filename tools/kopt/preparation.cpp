#include "kopt/preparation.h"

#include "core/case.h"
#include "core/hash.h"

namespace kopt {

namespace {

// Cases of the user, or a capture made from the closure as it is now.
bool has_cases(const Context &context, const Spec &spec, const std::string &kernel) {
  if (!spec.cases.empty()) return true;
  const fs::path folder = spec.mep_dir(spec.slug_of(kernel));
  const auto model = read_model(context.disk, folder / "model.json");
  const auto document = read_document(context.disk, folder / "cases/cases.json", "kopt-cases", cases_version);
  return model && document && document->value("closure", "") == hash_of(model->closure.text);
}

// The kernels, of these, that have not failed so far.
std::vector<std::string> remaining(const std::vector<std::string> &kernels, const std::map<std::string, Error> &failed) {
  std::vector<std::string> names;
  for (const std::string &kernel : kernels)
    if (!failed.contains(kernel)) names.push_back(kernel);
  return names;
}

void fail_all(const std::vector<std::string> &kernels, const Error &error, std::map<std::string, Error> &failed) {
  for (const std::string &kernel : kernels) failed.try_emplace(kernel, error);
}

void extract(Context &context, const Spec &spec, const std::vector<std::string> &kernels,
             std::map<std::string, Error> &failed) {
  const auto results = extract_kernels(context, spec, kernels);
  if (!results) return fail_all(kernels, results.error(), failed);
  for (const ExtractionResult &result : *results)
    if (result.error) failed.try_emplace(result.kernel, *result.error);
}

void capture(Context &context, const Spec &spec, const Options &options, const std::vector<std::string> &kernels, bool quiet,
             std::map<std::string, Error> &failed) {
  std::vector<std::string> without_cases;
  for (const std::string &kernel : kernels)
    if (!has_cases(context, spec, kernel)) without_cases.push_back(kernel);
  if (without_cases.empty()) return;
  const auto problems = capture_kernels(context, spec, without_cases, options, quiet);
  if (!problems) return fail_all(without_cases, problems.error(), failed);
  failed.insert(problems->begin(), problems->end());
}

} // namespace

std::map<std::string, Error> prepare(Context &context, const Spec &spec, const Options &options,
                                     const std::vector<std::string> &kernels, bool quiet) {
  std::map<std::string, Error> failed;
  extract(context, spec, kernels, failed);
  if (!check_interruption(context.interruption)) return failed;
  capture(context, spec, options, remaining(kernels, failed), quiet, failed);
  for (const std::string &kernel : remaining(kernels, failed)) {
    if (!check_interruption(context.interruption)) return failed;
    if (const auto made = make_mep(context, spec, kernel, quiet); !made) failed.try_emplace(kernel, made.error());
  }
  return failed;
}

} // namespace kopt
