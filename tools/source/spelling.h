// Spelling: comparing types and constants as a user writes them after KERNELS with those of a declaration, so that
// `double const*`, `const double *` and a typedef of it are the same.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kopt {

// "int,std::pair<a,b>" cut at the commas that stand outside brackets, each part trimmed; nothing for an empty list.
[[nodiscard]] std::vector<std::string> split_list(std::string_view text);

// Whether what the user wrote may mean a type that the compiler spells so: const on either side, `unsigned` for `unsigned int`,
// `double x[]` for a pointer, a const of the parameter itself, and left-out namespaces do not matter.
[[nodiscard]] bool same_type(std::string_view asked, std::string_view spelled);

// The same for a template argument: a type, or a value such as 4u for 4.
[[nodiscard]] bool same_argument(std::string_view asked, std::string_view spelled);

} // namespace kopt
