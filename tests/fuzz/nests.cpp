#include "nests.h"

#include "terms.h"

#include <algorithm>
#include <fmt/format.h>

namespace kopt::fuzz {

namespace {

// Each kind of nest appends its lines to the text.
class Author {
public:
  Author(Setting &setting, Dice &dice) : setting_(setting), dice_(dice), terms_(setting, dice) {}

  void one_nest() {
    const int kind = dice_.below(100);
    if (setting_.is_floating() && dice_.chance(6)) return long_body();
    if (setting_.has_theme && kind < 75)
      contraction();
    else if (kind < 17)
      sweep();
    else if (kind < 46)
      contraction();
    else if (kind < 70)
      fold_rows();
    else if (kind < 82)
      total();
    else if (kind < 86)
      recurrence();
    else if (kind < 95)
      imperfect();
    else if (kind < 99)
      indexed();
    else
      line("while (" + setting_.sizes[0] + " < 0) {}");
  }

  // What the last total gives the kernel's caller.
  void result() {
    if (totals_ > 0 && dice_.chance(80)) {
      line(fmt::format("return total{};", totals_ > 1 ? std::to_string(totals_) : ""));
      nests.returns_value = true;
    }
  }

  Nests nests;

private:
  Setting &setting_;
  Dice &dice_;
  Terms terms_;
  int depth_ = 1, totals_ = 0, locals_ = 0;

  void line(const std::string &text) { nests.text += std::string(static_cast<std::size_t>(2 * depth_), ' ') + text + "\n"; }
  void open(const std::string &head) {
    line(head + " {");
    ++depth_;
  }
  void close() {
    --depth_;
    line("}");
  }
  void close_all(std::size_t count) {
    for (; count > 0; --count) close();
  }

  const Array &target() {
    std::vector<const Array *> writable;
    for (const Array &array : setting_.arrays)
      if (array.is_written && array.view != Array::View::Reference) writable.push_back(&array);
    return *dice_.pick(writable);
  }

  Loops open_loops(std::vector<int> axes, int inner_percent, bool plain = false) {
    Loops loops;
    for (const int axis : axes) {
      loops.push_back(terms_.loop(axis, loops, dice_.chance(inner_percent), plain));
      open(loops.back().head);
    }
    return loops;
  }

  // The axes of an array in some order, with one more now and then.
  std::vector<int> axes_of(const Array &array, int extra_percent = 0) {
    std::vector<int> axes = array.axes;
    for (int axis = 0; axis < 3 && axes.size() < 3; ++axis)
      if (std::find(axes.begin(), axes.end(), axis) == axes.end() && dice_.chance(extra_percent)) axes.push_back(axis);
    if (dice_.chance(65)) dice_.shuffle(axes);
    return axes;
  }

  std::string zero() const { return setting_.element == "float" ? "0.0f" : "0"; }

  bool open_condition(const Loops &loops, int percent) {
    if (!dice_.chance(percent)) return false;
    open("if (" + terms_.condition(loops) + ")");
    return true;
  }

  void close_condition(const std::string &otherwise) {
    --depth_;
    if (dice_.chance(30)) {
      line("} else {");
      ++depth_;
      line(otherwise);
      close();
    } else {
      line("}");
    }
  }

  // Every element of an array from others: a stencil, a copy, a transposition.
  void sweep() {
    const Array &to = target();
    const bool hoisted = dice_.chance(6); // a variable of the body declared ahead of the loops, as older code does
    const std::string shared = hoisted ? fmt::format("t{}", ++locals_) : "";
    if (hoisted) line(fmt::format("{} {};", setting_.element, shared));
    const Loops loops = open_loops(axes_of(to, 8), 35);
    const bool guarded = open_condition(loops, 18);
    const std::string element = terms_.element(to, loops, false);
    std::string value = terms_.value(loops);
    if (hoisted) {
      line(fmt::format("{} = {};", shared, value));
      value = setting_.element == "int" ? fmt::format("({} & 31)", shared) : shared;
    } else if (dice_.chance(15)) {
      const std::string local = fmt::format("t{}", ++locals_);
      line(fmt::format("{}{} {} = {};", dice_.chance(50) ? "const " : "", setting_.element, local, value));
      value = setting_.element == "int" ? fmt::format("({} & 31)", local) : local;
    }
    line(fmt::format("{} {} {};", element,
                     dice_.chance(60) || setting_.element == "int" ? "="
                     : dice_.chance(70)                            ? "+="
                                                                   : "-=",
                     value));
    if (dice_.chance(20)) { // a second statement in the same loops
      const Array &other = target();
      line(fmt::format("{} = {};", terms_.element(other, loops, false), terms_.value(loops)));
    }
    if (guarded) close_condition(fmt::format("{} = {};", element, zero()));
    close_all(loops.size());
  }

  // Locals, calls and perhaps a short inner loop for every element: too much for a compiler's vectorizer.
  void long_body() {
    const Array &to = target();
    const Loops loops = open_loops(to.axes, 20, true);
    const std::string first = fmt::format("t{}", ++locals_), second = fmt::format("t{}", ++locals_);
    line(fmt::format("const {} {} = {};", setting_.element, first, terms_.value(loops)));
    line(fmt::format("{0} {1} = std::sqrt(std::fabs({2})) + {2};", setting_.element, second, first));
    if (dice_.chance(60)) {
      open(fmt::format("for (int q = 0; q < {}; ++q)", dice_.between(2, 5)));
      line(fmt::format("{0} = {0} * {1} + {2};", second, setting_.element == "float" ? "0.5f" : "0.5", first));
      close();
    }
    line(fmt::format("{} = {} - {};", terms_.element(to, loops, false), second, first));
    close_all(loops.size());
  }

  std::string product(const Loops &loops) {
    if (setting_.has_theme && dice_.chance(70))
      return terms_.operand(setting_.arrays[0], loops) + " * " + terms_.operand(setting_.arrays[1], loops);
    std::vector<int> axes;
    for (const Loop &loop : loops) axes.push_back(loop.axis);
    std::string text = terms_.operand(terms_.readable(axes), loops);
    if (dice_.chance(85)) text += " * " + terms_.operand(terms_.readable(axes), loops);
    if (dice_.chance(15) && !setting_.factor.empty()) text = setting_.factor + " * " + text;
    return text;
  }

  // C[i][j] += A[i][k] * B[k][j], in any order of the loops, with or without a local sum.
  void contraction() {
    const Array &to = target();
    std::vector<int> axes = to.axes;
    int along = 0;
    while (std::find(axes.begin(), axes.end(), along) != axes.end() && along < 2) ++along;
    if (axes.size() >= 3) return fold_rows();
    if (dice_.chance(50)) dice_.shuffle(axes);
    if (dice_.chance(45)) { // a nest of one statement
      axes.insert(axes.begin() + dice_.below(static_cast<int>(axes.size()) + 1), along);
      const Loops loops = open_loops(axes, 6);
      const bool guarded = open_condition(loops, 8);
      line(fmt::format("{} += {};", terms_.element(to, loops, false), product(loops)));
      if (guarded) close();
      return close_all(loops.size());
    }
    Loops loops = open_loops(axes, 6);
    const Loops outer = loops;
    const bool local = dice_.chance(55);
    const std::string element = terms_.element(to, outer, false);
    const std::string sum = local ? fmt::format("sum{}", ++locals_) : element;
    if (local)
      line(fmt::format("{} {} = {};", setting_.element, sum, zero()));
    else if (dice_.chance(70))
      line(fmt::format("{} = {};", element, zero()));
    loops.push_back(terms_.loop(along, outer, dice_.chance(6)));
    open(loops.back().head);
    line(fmt::format("{} += {};", sum, product(loops)));
    close();
    if (local) line(fmt::format("{} {} {};", element, dice_.chance(60) ? "=" : "+=", sum));
    close_all(outer.size());
  }

  std::string step(const std::string &into, const Loops &loops) {
    const std::string value = terms_.value(loops);
    const int kind = dice_.below(100);
    if (kind < 55) return fmt::format("{} += {};", into, value);
    if (kind < 65 && setting_.is_floating())
      return fmt::format("{} *= {} + {} * ({});", into, setting_.element == "float" ? "1.0f" : "1.0",
                         setting_.element == "float" ? "0.015625f" : "0.015625", value);
    if (kind < 65 && setting_.element == "unsigned") return fmt::format("{} *= {} + 1;", into, value);
    if (kind < 76) return fmt::format("{0} = {1} > {0} ? {1} : {0};", into, "(" + value + ")");
    if (kind < 84) return fmt::format("{0} = {1} < {0} ? {1} : {0};", into, "(" + value + ")");
    if (kind < 92) return fmt::format("if ({1} > {0}) {0} = {1};", into, "(" + value + ")");
    if (setting_.element == "int" || setting_.element == "unsigned") return fmt::format("{} += {};", into, value);
    return fmt::format("{0} = std::{2}({0}, static_cast<{3}>({1}));", into, value, dice_.chance(50) ? "max" : "min",
                       setting_.element);
  }

  // Sums, products and extremes along an axis: row by row, column by column.
  void fold_rows() {
    const Array &to = target();
    std::vector<int> axes = to.axes.size() > 2 ? to.axes : axes_of(to);
    if (axes.size() < 3)
      axes.insert(axes.begin() + dice_.below(static_cast<int>(axes.size()) + 1),
                  axes.front() == 1 || axes.back() == 1 ? (axes.front() == 0 || axes.back() == 0 ? 2 : 0) : 1);
    const Loops loops = open_loops(axes, 10);
    const bool guarded = open_condition(loops, 10);
    line(step(terms_.element(to, loops, false), loops));
    if (guarded) close();
    close_all(loops.size());
  }

  // Into a scalar that the kernel returns, or stores.
  void total() {
    const std::string name = ++totals_ > 1 ? fmt::format("total{}", totals_) : "total";
    const Array &from = terms_.readable({0, 1, 2});
    line(fmt::format("{} {} = {};", setting_.element, name,
                     dice_.chance(70)              ? zero()
                     : setting_.element == "float" ? "1.0f"
                                                   : "1"));
    std::vector<int> axes = from.axes.empty() ? std::vector<int>{0} : axes_of(from);
    const Loops loops = open_loops(axes, 15);
    const bool guarded = open_condition(loops, 12);
    line(step(name, loops));
    if (guarded) close();
    close_all(loops.size());
    for (const Array &array : setting_.arrays)
      if (array.view == Array::View::Reference && array.is_written && dice_.chance(70))
        line(fmt::format("{} = {};", array.name, name));
  }

  // In place, from what the loop computed before: the order may matter.
  void recurrence() {
    const Array &to = target();
    const std::vector<int> axes = axes_of(to);
    const Loops loops = open_loops(axes, 75);
    const bool guarded = open_condition(loops, 8);
    const std::string before = terms_.element(to, loops, true);
    line(fmt::format("{} = {};", terms_.element(to, loops, false), terms_.value(loops, before)));
    if (guarded) close();
    close_all(loops.size());
  }

  // Statements at several depths, as in `for i { y[i] = 0; for j y[i] += ...; z[i] = y[i] * c; }`.
  void imperfect() {
    const Array &to = target();
    const Array &other = target();
    std::vector<int> axes{to.axes.front(), to.axes.size() > 1 ? to.axes[1] : to.axes.front() == 1 ? 0 : 1};
    if (dice_.chance(35)) dice_.shuffle(axes);
    Loops loops = open_loops({axes[0]}, 10);
    if (dice_.chance(75)) line(fmt::format("{} = {};", terms_.element(to, loops, false), zero()));
    for (int count = dice_.between(1, 2); count > 0; --count) {
      Loops inner = loops;
      inner.push_back(terms_.loop(axes[1], loops, dice_.chance(10)));
      open(inner.back().head);
      const Array &into = dice_.chance(70) ? to : other;
      line(dice_.chance(70) ? step(terms_.element(into, dice_.chance(50) ? loops : inner, false), inner)
                            : fmt::format("{} = {};", terms_.element(into, inner, false), terms_.value(inner)));
      close();
    }
    if (dice_.chance(50)) line(fmt::format("{} = {};", terms_.element(other, loops, false), terms_.value(loops)));
    close_all(1);
  }

  // Gather and scatter through an index array.
  void indexed() {
    const auto has_index = [](const Array &array) { return array.is_index; };
    const auto index = std::find_if(setting_.arrays.begin(), setting_.arrays.end(), has_index);
    if (index == setting_.arrays.end()) return sweep();
    std::vector<int> axes{index->axes.front()};
    if (dice_.chance(50)) axes.push_back(axes.front() == 0 ? 1 : 0);
    const Loops loops = open_loops(axes, 0);
    const auto place = terms_.position(loops);
    const Array &to = target();
    std::vector<const Array *> flat;
    for (const Array &array : setting_.arrays)
      if (!array.is_index && array.axes.size() == 1) flat.push_back(&array);
    if (flat.empty() || !place) {
      line(fmt::format("{} = {};", terms_.element(to, loops, false), terms_.value(loops)));
    } else if (const Array &through = *dice_.pick(flat); through.is_written && dice_.chance(60)) {
      line(fmt::format("{}[{}] {} {};", through.name, place->first, dice_.chance(60) && setting_.element != "int" ? "+=" : "=",
                       terms_.value(loops)));
    } else {
      const std::string got = fmt::format("{}[{}]", through.name, place->first);
      line(fmt::format("{} = {};", terms_.element(to, loops, false), terms_.value(loops, got)));
    }
    close_all(loops.size());
  }
};

} // namespace

Nests make_nests(Setting &setting, Dice &dice) {
  Author author(setting, dice);
  const int roll = dice.below(100);
  for (int count = roll < 60 ? 1 : roll < 88 ? 2 : 3; count > 0; --count) author.one_nest();
  author.result();
  return author.nests;
}

} // namespace kopt::fuzz
