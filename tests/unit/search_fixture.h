// What tests of the search share: variants, proposals, an evaluator that judges by a made-up law, and a folder for a journal.
#pragma once

#include "core/disk.h"
#include "propose/proposer.h"
#include "search/evaluator.h"

#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace kopt::fixture {

// The variant's text is its speedup; tile sizes near 64 are better; "wrong" is incorrect.
class LawEvaluator final : public Evaluator {
public:
  bool fail_full = false;
  long quick = 0, full = 0;
  long breaks_at = -1; // the number of the evaluation, from 0, that cannot be made
  Result<Verdict> evaluate(const Variant &variant, Thoroughness thoroughness) override {
    if (quick + full == breaks_at) return fail("the disk is full");
    ++(thoroughness == Thoroughness::Quick ? quick : full);
    Verdict verdict;
    if (variant.text == "wrong") {
      verdict.kind = VerdictKind::Incorrect;
      return verdict;
    }
    verdict.speedup = std::stod(variant.text);
    if (const auto tile = variant.parameters.find("TILE"); tile != variant.parameters.end())
      verdict.speedup *= 2 - std::abs(std::log2(std::stod(tile->second)) - 6) / 4;
    verdict.kind = verdict.speedup > 1.02 ? VerdictKind::Faster : VerdictKind::Slower;
    if (thoroughness == Thoroughness::Full && fail_full) verdict.kind = VerdictKind::Inconclusive;
    return verdict;
  }
};

inline Proposal proposal(const std::string &text, std::vector<ParameterRange> tunables = {}) {
  Proposal result;
  result.variant.text = text;
  result.tunables = std::move(tunables);
  return result;
}

inline Variant variant(const std::string &text) { return proposal(text).variant; }

class JournalFolder : public ::testing::Test {
protected:
  JournalFolder()
      : folder(fs::path(fs::exists("/dev/shm") ? "/dev/shm" : testing::TempDir()) /
               ("kopt_journal_" + std::to_string(::getpid()))),
        file(folder / "journal.sqlite") {
    fs::remove_all(folder);
    fs::create_directories(folder);
  }
  ~JournalFolder() override { fs::remove_all(folder); }
  fs::path folder, file;
};

} // namespace kopt::fixture
