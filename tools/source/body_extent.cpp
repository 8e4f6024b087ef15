#include "source/body_extent.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace kopt::body {

namespace {

using Subscripts = std::vector<std::optional<Polynomial>>;
using Nodes = std::vector<Node>;

// An access below the loops that enclose it, outermost first.
struct Reach {
  const Access *access;
  std::vector<const Node *> loops;
};

void collect(const Nodes &nodes, std::vector<const Node *> &loops, std::vector<Reach> &reaches) {
  for (const Node &node : nodes) {
    for (const Access &access : node.accesses) reaches.push_back({&access, loops}); // of a bound: outside its loop
    if (node.kind == Node::Kind::Loop) loops.push_back(&node);
    collect(node.body, loops, reaches);
    if (node.kind == Node::Kind::Loop) loops.pop_back();
    collect(node.otherwise, loops, reaches);
  }
}

// --- reads and writes ---

struct Flow {
  bool reads = false, writes = false;
};

// Follows the body in execution order; `written` are the elements that are certainly written before the node runs.
class ReadBeforeWrite {
public:
  explicit ReadBeforeWrite(std::string leaf) : leaf_(std::move(leaf)) {}

  Flow follow(const Nodes &nodes) {
    std::set<Subscripts> nothing;
    follow(nodes, nothing);
    return flow_;
  }

private:
  using Written = std::set<Subscripts>;

  void follow(const Nodes &nodes, Written written) {
    for (const Node &node : nodes) {
      visit(node, written);
      if (node.kind != Node::Kind::Loop) {
        follow(node.body, written);
        follow(node.otherwise, written);
        continue;
      }
      Written inside = written;
      std::erase_if(inside, [&](const Subscripts &one) {
        return std::any_of(one.begin(), one.end(), [&](const auto &part) { return part->uses(node.variable); });
      });
      follow(node.body, inside);
    }
  }

  void visit(const Node &node, Written &written) {
    for (const Access &access : node.accesses) {
      if (access.leaf != leaf_) continue;
      if (access.reads() && !written.contains(access.subscripts)) flow_.reads = true;
      if (access.writes()) flow_.writes = true;
    }
    if (node.kind != Node::Kind::Statement) return;
    for (const Access &access : node.accesses) {
      const bool known =
          std::all_of(access.subscripts.begin(), access.subscripts.end(), [](const auto &one) { return one.has_value(); });
      if (access.leaf == leaf_ && access.kind == "write" && known) written.insert(access.subscripts);
    }
  }

  std::string leaf_;
  Flow flow_;
};

std::string word(const Flow &flow) {
  if (flow.reads) return flow.writes ? "readwrite" : "read";
  return flow.writes ? "write" : "none";
}

// Through objects that nobody knows.
Flow unknown_flow(const std::vector<Reach> &reaches) {
  Flow flow;
  for (const Reach &reach : reaches) {
    if (!reach.access->leaf.empty() || !reach.access->local.empty()) continue;
    flow.reads = flow.reads || reach.access->reads();
    flow.writes = flow.writes || reach.access->writes();
  }
  return flow;
}

bool points_to_constants(const Leaf &leaf) { return leaf.pointer_type.find("const") < leaf.pointer_type.find('*'); }

bool has_opaque(const std::vector<Node> &nodes) {
  return std::any_of(nodes.begin(), nodes.end(), [](const Node &node) {
    return node.kind == Node::Kind::Opaque || has_opaque(node.body) || has_opaque(node.otherwise);
  });
}

std::string access_of(const Leaf &leaf, const Model &model, const Uses &uses, const Flow &unknown) {
  // A helper that is not modelled may do anything to a global without the kernel's text ever naming it.
  if (leaf.origin == "global" && has_opaque(model.body)) return "unknown";
  Flow flow = ReadBeforeWrite(leaf.path).follow(model.body);
  if (!leaf.is_pointer()) {
    if (flow.reads || flow.writes) return word(flow);
    if (uses.modified.contains(leaf.path) && leaf.origin == "global") return "readwrite";
    return uses.mentioned.contains(leaf.path) ? "read" : "none";
  }
  if (uses.opaque.contains(leaf.path)) {
    if (!points_to_constants(leaf)) return "unknown";
    flow.reads = true;
  }
  if (unknown.writes && !points_to_constants(leaf)) return "unknown";
  flow.reads = flow.reads || unknown.reads;
  return word(flow);
}

// --- extents ---

bool all_non_negative(const Polynomial &polynomial) {
  return std::all_of(polynomial.terms().begin(), polynomial.terms().end(), [](const auto &term) { return term.second >= 0; });
}

// Lower bounds of symbols that follow from loops running at all: `1 <= i < n - 1` says n >= 3.
std::map<std::string, std::int64_t> least_values(const std::vector<const Node *> &loops) {
  std::map<std::string, std::int64_t> least;
  for (const Node *loop : loops) {
    if (!loop->lower.polynomial || !loop->upper.polynomial) continue;
    const Polynomial slack = *loop->upper.polynomial - *loop->lower.polynomial - Polynomial(1); // >= 0
    const std::set<std::string> symbols = slack.symbols();
    if (symbols.size() != 1 || slack - Polynomial(slack.constant()) != Polynomial::symbol(*symbols.begin())) continue;
    auto &value = least[*symbols.begin()];
    value = std::max(value, -slack.constant());
  }
  return least;
}

bool is_non_negative(Polynomial polynomial, const std::map<std::string, std::int64_t> &least) {
  for (const auto &[symbol, value] : least)
    polynomial = polynomial.substitute(symbol, Polynomial::symbol(symbol) + Polynomial(value));
  return all_non_negative(polynomial);
}

enum class End { Lowest, Highest };

// The index at one end: replaces the loop variables, innermost first, by the end of their range where the polynomial is lowest
// or highest.
std::optional<Polynomial> at_end(End end, Polynomial index, const std::vector<const Node *> &loops) {
  const auto least = least_values(loops);
  for (auto at = loops.rbegin(); at != loops.rend(); ++at) {
    const Node &loop = **at;
    if (!index.uses(loop.variable)) continue;
    if (index.degree_in(loop.variable) > 1) return std::nullopt;
    const Polynomial slope = index.coefficient_of(loop.variable);
    const bool rises = is_non_negative(slope, least), falls = is_non_negative(Polynomial() - slope, least);
    if (!rises && !falls) return std::nullopt;
    const bool last = rises == (end == End::Highest); // of the loop's iterations
    const Bound &bound = last ? loop.upper : loop.lower;
    if (!bound.polynomial) return std::nullopt;
    index = index.substitute(loop.variable, last ? *bound.polynomial - Polynomial(1) : *bound.polynomial);
  }
  return index;
}

// Subscripts in several dimensions as one index in elements.
std::optional<Polynomial> flat(const Subscripts &subscripts, const std::vector<long> &inner_sizes) {
  if (subscripts.empty()) return Polynomial();
  if (subscripts.size() != inner_sizes.size() + 1) return std::nullopt;
  Polynomial index;
  for (size_t k = 0; k < subscripts.size(); ++k) {
    if (!subscripts[k]) return std::nullopt;
    if (k > 0) index = index * Polynomial(inner_sizes[k - 1]);
    index = index + *subscripts[k];
  }
  return index;
}

// An index that one access reaches at an end of its range, and the loops around the access.
struct Candidate {
  Polynomial index;
  std::vector<const Node *> loops;
};

// Whether `one` lies at least as far out as `other` whenever that is reached.
bool reaches_as_far(End end, const Candidate &one, const Candidate &other) {
  const Polynomial further = end == End::Highest ? one.index - other.index : other.index - one.index;
  return is_non_negative(further, least_values(other.loops));
}

// Those among which the outermost is: no candidate that another one covers.
std::vector<Polynomial> outermost(End end, const std::vector<Candidate> &candidates) {
  std::vector<Candidate> kept;
  for (const Candidate &candidate : candidates) {
    if (std::any_of(kept.begin(), kept.end(), [&](const Candidate &one) { return reaches_as_far(end, one, candidate); }))
      continue;
    std::erase_if(kept, [&](const Candidate &one) { return reaches_as_far(end, candidate, one); });
    kept.push_back(candidate);
  }
  std::vector<Polynomial> indices;
  for (const Candidate &candidate : kept) indices.push_back(candidate.index);
  std::sort(indices.begin(), indices.end());
  return indices;
}

bool starts_at_zero_or_later(const std::vector<Candidate> &lowest) {
  return std::all_of(lowest.begin(), lowest.end(),
                     [](const Candidate &one) { return is_non_negative(one.index, least_values(one.loops)); });
}

constexpr std::size_t most_ends = 4; // more say nothing to a reader, and cost a guard time

std::optional<Extent> extent_of(const Leaf &leaf, const std::vector<Reach> &reaches, const std::vector<long> &inner_sizes) {
  std::vector<Candidate> lowest, highest;
  for (const Reach &reach : reaches) {
    if (reach.access->leaf != leaf.path) continue;
    const auto known = flat(reach.access->subscripts, inner_sizes);
    const std::vector<Polynomial> indices = known ? std::vector{*known} : reach.access->candidates;
    if (indices.empty()) return std::nullopt;
    for (const Polynomial &index : indices) {
      const auto last = at_end(End::Highest, index, reach.loops), first = at_end(End::Lowest, index, reach.loops);
      if (!last || !first) return std::nullopt;
      highest.push_back({*last, reach.loops});
      lowest.push_back({*first, reach.loops});
    }
  }
  if (highest.empty()) return std::nullopt;
  Extent extent;
  for (const Polynomial &index : outermost(End::Highest, highest)) extent.end.push_back(index + Polynomial(1));
  if (!starts_at_zero_or_later(lowest)) extent.first = outermost(End::Lowest, lowest);
  if (extent.end.size() > most_ends || extent.first.size() > most_ends) return std::nullopt;
  return extent;
}

// --- declarations ---

bool mentions(const std::string &text, const std::string &name) {
  const auto part_of_word = [&](size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_');
  };
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1))
    if ((at == 0 || !part_of_word(at - 1)) && !part_of_word(at + name.size())) return true;
  return false;
}

bool needs(const Nodes &nodes, const Declares &declared, const Node &declaration) {
  return std::any_of(nodes.begin(), nodes.end(), [&](const Node &node) {
    if (&node == &declaration) return false;
    if (node.kind == Node::Kind::Opaque && mentions(node.text, declared.name)) return true;
    const auto is_it = [&](const auto &use) { return use.name == declared.name; };
    if (std::any_of(node.scalars.begin(), node.scalars.end(), is_it)) return true;
    const auto local = [&](const Access &access) { return access.local == declared.name; };
    if (std::any_of(node.accesses.begin(), node.accesses.end(), local)) return true;
    return needs(node.body, declared, declaration) || needs(node.otherwise, declared, declaration);
  });
}

void mark(Nodes &nodes, const Nodes &body) {
  for (Node &node : nodes) {
    if (node.declares) node.declares->substituted = node.declares->constant && !needs(body, *node.declares, node);
    mark(node.body, body);
    mark(node.otherwise, body);
  }
}

} // namespace

void summarise(Model &model, const Uses &uses) {
  std::vector<Reach> reaches;
  std::vector<const Node *> loops;
  collect(model.body, loops, reaches);
  const Flow unknown = unknown_flow(reaches);
  for (Leaf &leaf : model.leaves) {
    if (leaf.origin == "result") continue;
    leaf.access = access_of(leaf, model, uses, unknown);
    const bool certain =
        leaf.is_pointer() && leaf.access != "none" && !uses.opaque.contains(leaf.path) && !unknown.reads && !unknown.writes;
    if (leaf.extent || !certain) continue;
    const auto sizes = uses.inner_sizes.find(leaf.path);
    leaf.extent = extent_of(leaf, reaches, sizes == uses.inner_sizes.end() ? std::vector<long>{} : sizes->second);
  }
}

void mark_substituted(std::vector<Node> &body) { mark(body, body); }

} // namespace kopt::body
