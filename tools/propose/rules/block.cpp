// Blocking: `for i for j { sum = 0; for k sum += ...; C = sum; }` runs a block of i and j side by side inside k, each with its
// own accumulator. With a block of columns alone, a walk down a column becomes a walk along rows.
#include "propose/rules/shapes.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace kopt {

namespace {

using Chain = std::vector<const Node *>;

struct Block {
  const Node *loop;
  std::string macro, first, end; // first iteration of the block, end of all iterations
  bool is_whole = true;          // has as many iterations as the macro says
};

bool holds_loop(const Node &node) {
  bool loop = node.kind == Node::Kind::Loop;
  const auto look = [&](const Node &inner) { loop = loop || inner.kind == Node::Kind::Loop; };
  visit(node.body, look);
  visit(node.otherwise, look);
  return loop;
}

// Runs of nodes without loops, and each loop alone.
std::vector<Nodes> parts_of(const Nodes &body) {
  std::vector<Nodes> parts;
  bool open = false;
  for (const Node &node : body) {
    const bool loop = holds_loop(node);
    if (open && !loop) {
      parts.back().push_back(node);
    } else {
      parts.push_back({node});
    }
    open = !loop;
  }
  return parts;
}

// Scalars declared in this body that more than one of its parts uses: a block needs one for each iteration.
std::vector<Declares> shared_scalars(const Nodes &body) {
  const std::vector<Nodes> parts = parts_of(body);
  std::vector<Declares> shared;
  for (const Node &node : body) {
    if (!node.declares) continue;
    int users = 0;
    for (const Nodes &part : parts) {
      bool uses = false;
      visit(part, [&](const Node &inner) {
        uses = uses || words_in(inner.text + " " + inner.condition).contains(node.declares->name);
      });
      users += uses ? 1 : 0;
    }
    if (users > 1) shared.push_back(*node.declares);
  }
  return shared;
}

std::string without_const(std::string type) {
  if (type.starts_with("const ")) type.erase(0, 6);
  return type;
}

class Blocks final : public Shape {
public:
  Blocks(Chain chain, std::vector<Block> blocks, std::string title)
      : chain_(std::move(chain)), blocks_(std::move(blocks)), title_(std::move(title)) {}

  void write(Writer &writer) const override {
    std::vector<Block> blocks = blocks_;
    writer.line("// " + title_);
    writer.open("");
    for (Block &block : blocks) {
      block.first = writer.fresh(block.loop->variable + "0");
      block.end = writer.fresh(block.loop->variable + "_end");
      writer.line(fmt::format("const {} {} = {};", block.loop->type, block.end, block.loop->upper.text));
    }
    Arrays arrays;
    name_arrays(writer, chain_.back()->body, arrays);
    level(writer, blocks, arrays, 0);
    writer.close();
  }

private:
  using Arrays = std::map<std::string, std::string>; // scalar -> the array that takes its place

  Chain chain_;
  std::vector<Block> blocks_; // as they nest inside a block: the contiguous one last
  std::string title_;

  static void name_arrays(Writer &writer, const Nodes &body, Arrays &arrays) {
    for (const Declares &scalar : shared_scalars(body))
      if (!arrays.contains(scalar.name)) arrays[scalar.name] = writer.fresh(scalar.name + "_block");
    for (const Node &node : body) name_arrays(writer, node.body, arrays);
  }

  // The loops from this one of the chain on.
  void level(Writer &writer, const std::vector<Block> &blocks, const Arrays &arrays, size_t depth) const {
    if (depth == chain_.size()) return sink(writer, blocks, arrays, chain_.back()->body);
    const Node &loop = *chain_[depth];
    const auto block = std::find_if(blocks.begin(), blocks.end(), [&](const Block &each) { return each.loop == &loop; });
    if (block == blocks.end()) {
      writer.open(loop.text);
      level(writer, blocks, arrays, depth + 1);
      writer.close();
      return;
    }
    writer.line(fmt::format("{} {} = {};", loop.type, block->first, loop.lower.text));
    writer.open(fmt::format("for (; {}; {} += {})", block_fits(loop, block->first, block->end, block->macro), block->first,
                            block->macro));
    level(writer, blocks, arrays, depth + 1);
    writer.close();
    std::vector<Block> last = blocks; // what does not fill a block is a block that ends sooner
    last[static_cast<size_t>(block - blocks.begin())].is_whole = false;
    writer.open(fmt::format("if ({} < {})", block->first, block->end));
    level(writer, last, arrays, depth + 1);
    writer.close();
  }

  static std::string point_loop(const Block &block) {
    return loop_head(*block.loop, block.first, block.is_whole ? fmt::format("{} + {}", block.first, block.macro) : block.end);
  }

  // The body for a block: the block's loops go around each run of statements, inside every other loop.
  static void sink(Writer &writer, const std::vector<Block> &blocks, const Arrays &arrays, const Nodes &body) {
    std::string sizes, place;
    for (const Block &block : blocks) {
      sizes += fmt::format("[{}]", block.macro);
      place += fmt::format("[{} - {}]", block.loop->variable, block.first);
    }
    const std::vector<Declares> shared = shared_scalars(body);
    for (const Declares &scalar : shared) {
      writer.line(fmt::format("{} {}{};", without_const(scalar.type), arrays.at(scalar.name), sizes));
      writer.rename(scalar.name, arrays.at(scalar.name) + place);
    }
    for (const Nodes &part : parts_of(body)) {
      if (part.size() == 1 && part.front().kind == Node::Kind::Loop) {
        writer.open(part.front().text);
        sink(writer, blocks, arrays, part.front().body);
        writer.close();
        continue;
      }
      if (only_declares_nothing(writer, part)) continue;
      for (const Block &block : blocks) writer.open(point_loop(block));
      writer.nodes(part);
      for (size_t i = 0; i < blocks.size(); ++i) writer.close();
    }
    for (const Declares &scalar : shared) writer.rename(scalar.name, "");
  }

  static bool only_declares_nothing(const Writer &writer, const Nodes &part) {
    return std::all_of(part.begin(), part.end(),
                       [&](const Node &node) { return node.kind == Node::Kind::Statement && writer.statement(node).empty(); });
  }
};

// --- which loops to block ---

// Contiguous accesses minus far ones, over all statements inside the body's loops, when `variable` advances.
int contiguity(const Nodes &body, const std::string &variable) {
  int score = 0;
  for (const Node &node : body) {
    if (node.kind != Node::Kind::Loop) continue;
    visit(node.body, [&](const Node &inner) {
      for (const Access &access : inner.accesses) {
        const Stride stride = stride_of(access, variable);
        score += stride == Stride::Unit ? 1 : stride == Stride::Far ? -1 : 0;
      }
    });
  }
  return score;
}

// Blocks can be sunk into the body only where its loops run alike for all iterations of a block, and declarations can become
// assignments.
bool can_sink(const Nodes &body, const std::set<std::string> &variables) {
  bool can = true;
  for (const Node &node : body)
    if (node.kind == Node::Kind::If && holds_loop(node)) can = false;
  for (const Declares &scalar : shared_scalars(body))
    if (scalar.type.find_first_of("&*[(") != std::string::npos || scalar.type.find("auto") != std::string::npos) can = false;
  visit(body, [&](const Node &node) {
    if (node.kind == Node::Kind::Loop && (!bounds_free_of(node, variables) || !can_sink(node.body, variables))) can = false;
    if (node.declares && node.text.find('=') == std::string::npos && node.text.find_first_of("({") != std::string::npos)
      can = false;
  });
  return can;
}

// The body with the blocked loops innermost: the order of one block that holds all iterations.
Nodes sunk(const Nodes &body, const Chain &blocked) {
  Nodes out;
  for (const Nodes &part : parts_of(body)) {
    if (part.size() == 1 && part.front().kind == Node::Kind::Loop) {
      out.push_back(with_body(part.front(), sunk(part.front().body, blocked)));
      continue;
    }
    Nodes inner = part;
    for (auto loop = blocked.rbegin(); loop != blocked.rend(); ++loop) inner = {with_body(**loop, inner)};
    out.push_back(inner.front());
  }
  return out;
}

Nodes nested(const Chain &loops, Nodes inner) {
  for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) inner = {with_body(**loop, std::move(inner))};
  return inner;
}

Chain without(const Chain &chain, const Chain &removed) {
  Chain rest;
  std::copy_if(chain.begin(), chain.end(), std::back_inserter(rest),
               [&](const Node *loop) { return std::find(removed.begin(), removed.end(), loop) == removed.end(); });
  return rest;
}

std::string macro_name(const Node &loop) {
  std::string name = "KOPT_BLOCK_";
  for (const char c : loop.variable) name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

// Which loops of the chain are blocked, outermost first: the contiguous one, and for registers its neighbour.
Chain choose(const Chain &chain, Blocking blocking) {
  const Node *columns = nullptr;
  int best = 0;
  for (size_t i = chain.size() > 2 ? chain.size() - 2 : 0; i < chain.size(); ++i)
    if (const int score = contiguity(chain.back()->body, chain[i]->variable); score > best) {
      best = score;
      columns = chain[i];
    }
  if (!columns) return {};
  if (blocking == Blocking::Columns) return {columns};
  if (chain.size() < 2) return {};
  return {chain[chain.size() - 2], chain.back()};
}

// The contiguous loop last.
Chain as_nested_in_block(Chain blocked, const Nodes &body) {
  std::stable_sort(blocked.begin(), blocked.end(),
                   [&](const Node *a, const Node *b) { return contiguity(body, a->variable) < contiguity(body, b->variable); });
  return blocked;
}

Legality is_legal(const Chain &chain, const Chain &blocked, const Dependences &dependences) {
  const Nodes &body = chain.back()->body;
  Legality legality = dependences.legal(nested(without(chain, blocked), sunk(body, as_nested_in_block(blocked, body))));
  if (!legality.legal || blocked.size() == 1) return legality;
  // Blocks follow one another in the order of both loops: no dependence may point backwards along the inner one.
  Chain exchanged = without(chain, blocked);
  exchanged.insert(exchanged.end(), blocked.rbegin(), blocked.rend());
  const Legality exchange = dependences.legal(nested(exchanged, body));
  legality.reorders_reduction = legality.reorders_reduction || exchange.reorders_reduction;
  return exchange.legal ? legality : exchange;
}

} // namespace

std::optional<Shaped> block(const Node &root, const std::vector<Polynomial> &context, Blocking blocking,
                            const Workshop &workshop) {
  const Chain chain = perfect_chain(root);
  const Nodes &body = chain.back()->body;
  const Chain blocked = choose(chain, blocking);
  if (blocked.empty() || std::none_of(body.begin(), body.end(), holds_loop)) return std::nullopt;
  std::set<std::string> variables, all;
  for (const Node *loop : blocked) variables.insert(loop->variable);
  for (const Node *loop : chain) all.insert(loop->variable);
  for (const Node *loop : chain)
    if (!bounds_free_of(*loop, all)) return std::nullopt;
  for (const Node *loop : blocked)
    if (!can_be_cut(*loop)) return std::nullopt;
  const std::string technique = blocking == Blocking::Columns ? "column blocking" : "register blocking";
  if (!can_sink(body, variables)) return std::nullopt;
  const Nodes before{root};
  const Dependences dependences(workshop.model, before, context, workshop.integers);
  const Legality legality = is_legal(chain, blocked, dependences);
  if (!legality.legal) {
    workshop.refuse(technique, legality.reason, legality.line);
    return std::nullopt;
  }
  Shaped shaped;
  std::vector<Block> blocks;
  for (const Node *loop : as_nested_in_block(blocked, body)) {
    blocks.push_back({loop, workshop.names.fresh(macro_name(*loop)), "", "", true});
    const bool wide = contiguity(body, loop->variable) > 0;
    const std::vector<std::string> values = blocking == Blocking::Columns
                                                ? std::vector<std::string>{"64", "256", "512", "1024", "32"}
                                            : wide ? std::vector<std::string>{"8", "4", "16", "64"}
                                                   : std::vector<std::string>{"4", "2", "8"};
    shaped.tunables.push_back({blocks.back().macro, values});
  }
  shaped.loop = &root;
  shaped.shape = std::make_unique<Blocks>(chain, blocks,
                                          blocking == Blocking::Columns
                                              ? "Column blocking: a block of columns is accumulated along its rows."
                                              : "Register blocking: a block of results is accumulated side by side.");
  shaped.technique = technique;
  shaped.reorders_reduction = legality.reorders_reduction;
  shaped.assumed = dependences.assumed();
  return shaped;
}

} // namespace kopt
