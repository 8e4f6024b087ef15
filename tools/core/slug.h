// Slug: a kernel's name as a folder and test name. Letters, digits and `_` stay, `::` becomes `.`, each run of anything else
// one `-`, none at the end: `ns::foo<float,256>` is `ns.foo-float-256`. cmake/KernelOpt computes the same.
#pragma once

#include <string>
#include <string_view>

namespace kopt {

[[nodiscard]] std::string slug_of(std::string_view kernel);

// A slug as a C++ identifier: `.` and `-` become `_`.
[[nodiscard]] std::string identifier_of(std::string_view slug);

} // namespace kopt
