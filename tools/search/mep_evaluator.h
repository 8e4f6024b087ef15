// MepEvaluator: judges candidates in a kernel's MEP: compiles each with the application's compiler and flags, then asks the
// judge.
#pragma once

#include "core/case.h"
#include "core/options.h"
#include "evaluate/judge.h"
#include "platform/platform.h"
#include "search/evaluator.h"
#include "search/tuning.h"

#include <memory>
#include <string>
#include <vector>

namespace kopt {

class MepEvaluator final : public Evaluator {
public:
  // Compiles the baseline and runs it on every case.
  static Result<std::unique_ptr<MepEvaluator>> create(const Outside &outside, const Spec &spec, const Model &model,
                                                      std::vector<Case> cases, const Options &options);
  Result<Verdict> evaluate(const Variant &variant, Thoroughness thoroughness) override;
  [[nodiscard]] std::vector<std::string> notes() const { return judge_->notes(); }
  [[nodiscard]] std::string sandbox() const { return judge_->sandbox(); }

private:
  MepEvaluator(const Outside &outside, Model model, fs::path folder)
      : outside_(outside), model_(std::move(model)), folder_(std::move(folder)) {}

  Result<Verdict> judge_built(const Variant &variant, const std::string &entry, const BuildJob &job, Thoroughness thoroughness);

  Outside outside_;
  Model model_;
  fs::path folder_; // of compiled candidates
  std::unique_ptr<Platform> platform_;
  std::unique_ptr<Judge> judge_;
};

// The judge's settings from the user's options. `program` is kopt, which starts the judge's children.
[[nodiscard]] JudgeSettings judge_settings(const Options &options, const fs::path &program);

} // namespace kopt
