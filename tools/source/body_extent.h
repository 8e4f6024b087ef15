// Extent: how much the kernel touches through each leaf, and whether it reads or writes: read off the finished body, without an
// AST.
//
// An extent is the number of elements from the pointer on. It may be too large (guards of the body are ignored, loops are taken
// to run), never too small: what it is used for, telling whether two ranges may overlap, wants that. Symbols are taken to be
// non-negative.
#pragma once

#include "core/model.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace kopt::body {

// What only the AST knows about the leaves, by path.
struct Uses {
  std::set<std::string> mentioned;                      // the kernel names the variable at all
  std::set<std::string> modified;                       // scalars that the kernel writes
  std::set<std::string> opaque;                         // pointers that code which is not modelled can reach
  std::map<std::string, std::vector<long>> inner_sizes; // sizes of all dimensions but the first
};

// Gives every leaf but the result its access and, where it has none yet and one can be told, its extent.
void summarise(Model &model, const Uses &uses);

// Sets Declares::substituted.
void mark_substituted(std::vector<Node> &body);

} // namespace kopt::body
