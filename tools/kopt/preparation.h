// Preparation: the phases before a search, extraction, capture where there are no cases, and MEPs, for the kernels of one
// target. A kernel that cannot be prepared does not stop the others.
#pragma once

#include "core/error.h"
#include "core/options.h"
#include "core/spec.h"
#include "kopt/verb.h"

#include <map>
#include <string>
#include <vector>

namespace kopt {

// The kernels that cannot be searched, and why. `quiet`: nothing on stdout.
[[nodiscard]] std::map<std::string, Error> prepare(Context &context, const Spec &spec, const Options &options,
                                                   const std::vector<std::string> &kernels, bool quiet);

} // namespace kopt
