// Writer: prints nodes of a body as C++, in the application's own words: loop headers, statement texts and names are the
// original's. A Shape takes over the printing of one loop: it blocks it, tiles it, splits its reduction.
#pragma once

#include "propose/proposer.h"
#include "propose/rules/rewrite.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace kopt {

class Writer;

class Shape {
public:
  virtual ~Shape() = default;
  virtual void write(Writer &writer) const = 0;
};

class Writer {
public:
  using Shapes = std::map<const Node *, std::unique_ptr<Shape>>;

  Writer(const Model &model, Names &names, const Shapes &shapes, const std::set<const Node *> &independent)
      : model_(model), names_(names), shapes_(shapes), independent_(independent) {}

  void line(const std::string &text);
  void open(const std::string &head); // "head {", or "{"
  void close();
  // A loop as it is, whatever its shape; what is in it keeps its shapes.
  void loop(const Node &node);
  void nodes(const Nodes &list);
  void pragma(const Node &loop); // what a loop's head needs ahead of it
  // Opens the loop over those of its iterations that lie in [first, end).
  void open_clipped(const Node &loop, const std::string &first, const std::string &end);

  // A local scalar is spelled otherwise from here on: sum -> sum[j - j0]. Empty: as it is again.
  void rename(const std::string &scalar, const std::string &spelling);
  // The statement's text with renamed scalars; a declaration of a renamed scalar is an assignment, or nothing.
  [[nodiscard]] std::string statement(const Node &node) const;
  [[nodiscard]] std::string spelled(const std::string &text) const; // with renamed scalars

  [[nodiscard]] std::string fresh(const std::string &wanted) { return names_.fresh(wanted); }
  [[nodiscard]] const std::string &text() const { return text_; }

private:
  const Model &model_;
  Names &names_;
  const Shapes &shapes_;
  const std::set<const Node *> &independent_; // loops that carry no dependence
  std::map<std::string, std::string> renamed_;
  std::string text_;
  int depth_ = 1;

  void node(const Node &node);
  void verbatim(const Node &node);
};

// `for (int i = i0; i < end; ++i)`
[[nodiscard]] std::string loop_head(const Node &loop, const std::string &first, const std::string &end);
// Steps of one upwards, bounds known, and a type in which `end - first` is exact for every trip count.
[[nodiscard]] bool can_be_cut(const Node &loop);
// "more than `count` iterations are left from first on", without overflow
[[nodiscard]] std::string block_fits(const Node &loop, const std::string &first, const std::string &end,
                                     const std::string &count);

} // namespace kopt
