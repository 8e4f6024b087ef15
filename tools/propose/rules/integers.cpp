#include "propose/rules/integers.h"

#include <isl/ctx.h>
#include <isl/options.h>
#include <isl/set.h>

namespace kopt {

namespace {

// A dependence question of real code takes some thousand operations; one that takes this many is not worth its answer.
constexpr unsigned long operations_allowed = 2'000'000;

} // namespace

void Integers::Free::operator()(isl_ctx *context) const { isl_ctx_free(context); }

Integers::Integers() : context_(isl_ctx_alloc()) { isl_options_set_on_error(context_.get(), ISL_ON_ERROR_CONTINUE); }

Result<bool> Integers::is_empty(const std::string &set) {
  if (auto found = known_.find(set); found != known_.end()) return found->second;
  isl_ctx_reset_operations(context_.get());
  isl_ctx_set_max_operations(context_.get(), operations_allowed);
  isl_set *points = isl_set_read_from_str(context_.get(), set.c_str());
  const isl_bool empty = isl_set_is_empty(points);
  isl_set_free(points);
  if (empty == isl_bool_error) {
    std::string what = isl_ctx_last_error_msg(context_.get()) ? isl_ctx_last_error_msg(context_.get()) : "too many operations";
    isl_ctx_reset_error(context_.get());
    return fail("isl gave no answer: " + what, set);
  }
  return known_[set] = empty == isl_bool_true;
}

} // namespace kopt
