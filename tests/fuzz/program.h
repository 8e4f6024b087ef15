// Program: the text that checks some kernels with all their candidates. Candidates are put in by the dispatch that an
// application gets.
#pragma once

#include "core/model.h"
#include "propose/proposer.h"
#include "sample.h"

namespace kopt::fuzz {

struct Subject {
  Sample sample;
  Model model;
  std::vector<Proposal> proposals;
};

[[nodiscard]] Result<std::string> program_of(const std::vector<Subject> &subjects);

// Whether it is more than keywords on the loops as they are.
[[nodiscard]] bool is_structural(const Proposal &proposal);

} // namespace kopt::fuzz
