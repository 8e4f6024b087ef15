#include "terms.h"

#include <algorithm>
#include <fmt/format.h>

namespace kopt::fuzz {

namespace {

const char *const variables[] = {"i", "j", "k"};

const Loop *loop_along(int axis, const Loops &around) {
  const auto found = std::find_if(around.begin(), around.end(), [&](const Loop &loop) { return loop.axis == axis; });
  return found == around.end() ? nullptr : &*found;
}

// In parentheses where it is more than a name or a number.
std::string factor(const std::string &text) {
  const bool plain = text.find_first_of(" +-*") == std::string::npos;
  return plain ? text : "(" + text + ")";
}

} // namespace

// Nothing, or the head of a loop whose bounds depend on a loop around it.
std::string Terms::triangle(const Loop &loop, const Loops &around) {
  const std::string &outer = dice_.pick(around).variable, &v = loop.variable, &type = setting_.integer;
  switch (dice_.below(4)) {
  case 0:
    return fmt::format("for ({} {} = 0; {} < {}; ++{})", type, v, v, outer, v);
  case 1:
    return fmt::format("for ({} {} = 0; {} <= {}; ++{})", type, v, v, outer, v);
  case 2:
    return fmt::format("for ({} {} = {}; {} < {}; ++{})", type, v, outer, v, size(loop.axis), v);
  default:
    return fmt::format("for ({} {} = {} + 1; {} < {}; ++{})", type, v, outer, v, size(loop.axis), v);
  }
}

Loop Terms::loop(int axis, const Loops &around, bool inner, bool plain) {
  if (!setting_.is_signed() && dice_.chance(90)) inner = false; // `n - 1` of an unsigned zero is no bound
  Loop loop{axis, variables[axis], "", inner};
  const std::string &v = loop.variable, &type = setting_.integer;
  const bool is_signed = setting_.is_signed();
  if (!inner && !plain && !around.empty() && dice_.chance(14)) {
    loop.head = triangle(loop, around);
    return loop;
  }
  const std::string first = inner ? "1" : "0";
  const std::string upper = !inner ? size(axis) : is_signed ? size(axis) + " - 1" : "";
  if (plain || !is_signed || dice_.chance(76)) {
    const std::string test = upper.empty() ? fmt::format("{} + 1 < {}", v, size(axis)) : fmt::format("{} < {}", v, upper);
    loop.head = fmt::format("for ({} {} = {}; {}; ++{})", type, v, first, test, v);
  } else if (dice_.chance(35)) {
    loop.head = fmt::format("for ({} {} = {} - 1; {} >= {}; --{})", type, v, upper, v, first, v);
  } else if (dice_.chance(50)) {
    const int step = dice_.between(2, 4);
    loop.head = fmt::format("for ({} {} = {}; {} < {}; {} += {})", type, v, first, v, upper, v, step);
  } else if (dice_.chance(85)) {
    loop.head = fmt::format("for ({} {} = {}; {} <= {} - 1; {}++)", type, v, first, v, upper, v);
  } else {
    loop.head = fmt::format("for ({} {} = {}; {} < {}; ++{})", type, v, first, v, inner ? "6" : "11", v);
  }
  return loop;
}

std::string Terms::place(int axis, const Loops &around, bool roams) {
  const Loop *loop = loop_along(axis, around);
  if (!loop && roams && !around.empty() && dice_.chance(30)) return dice_.pick(around).variable;
  if (!loop) return dice_.chance(70) ? "0" : setting_.is_signed() && dice_.chance(50) ? size(axis) + " - 1" : "1";
  const std::string &v = loop->variable;
  if (!roams || dice_.chance(60)) return v;
  if (loop->is_inner && dice_.chance(80)) return dice_.chance(50) ? v + " - 1" : v + " + 1";
  if (dice_.chance(15)) return fmt::format("{} + {}", v, dice_.between(1, 2)); // perhaps beyond the row
  if (setting_.is_signed() && dice_.chance(8)) return fmt::format("{} - 1 - {}", size(axis), v);
  return v;
}

std::string Terms::place_in_row(int axis, const Loops &around, bool roams) {
  const Loop *loop = loop_along(axis, around);
  if (!loop) return dice_.chance(50) ? "0" : "1";
  if (!roams || dice_.chance(60)) return loop->variable;
  return loop->variable + (loop->is_inner && dice_.chance(50) ? " - 1" : " + 1");
}

std::string Terms::subscript(const Array &array, const std::vector<std::string> &places) const {
  const auto extent = [&](std::size_t k) {
    return array.is_padded && k + 1 == array.axes.size() ? std::string("ld") : size(array.axes[k]);
  };
  const bool column = array.view == Array::View::Column;
  std::string text = column ? places.back() : places.front();
  for (std::size_t k = 1; k < places.size(); ++k) {
    const std::size_t at = column ? places.size() - 1 - k : k;
    text = fmt::format("{} * {} + {}", factor(text), extent(at), places[at]);
  }
  return text;
}

std::string Terms::element(const Array &array, const Loops &around, bool roams) {
  if (array.view == Array::View::Reference) return array.name;
  std::vector<std::string> places;
  const bool is_row = array.view == Array::View::Rows; // a subscript must not leave its row
  for (const int axis : array.axes) places.push_back(is_row ? place_in_row(axis, around, roams) : place(axis, around, roams));
  if (roams && places.size() == 2 && dice_.chance(5)) std::swap(places[0], places[1]);
  if (array.view == Array::View::Rows) return fmt::format("{}[{}][{}]", array.name, places[0], places[1]);
  if (roams && places.size() == 1 && dice_.chance(3)) return fmt::format("{}[2 * {}]", array.name, factor(places[0]));
  return fmt::format("{}[{}]", array.name, subscript(array, places));
}

// Signed integers must not overflow, however often they are computed from one another.
std::string Terms::bounded(const std::string &text) const {
  return setting_.element == "int" ? fmt::format("({} & 15)", text) : text;
}

std::string Terms::operand(const Array &array, const Loops &around) { return bounded(element(array, around, true)); }

const Array &Terms::readable(const std::vector<int> &axes) {
  // Most are inputs whose axes the loops have; now and then any array, also one that the loops write.
  const bool any_axes = dice_.chance(7), any_use = dice_.chance(15);
  std::vector<const Array *> fitting, all;
  for (const Array &array : setting_.arrays) {
    if (array.is_index) continue;
    all.push_back(&array);
    const bool fits = std::all_of(array.axes.begin(), array.axes.end(),
                                  [&](int axis) { return std::find(axes.begin(), axes.end(), axis) != axes.end(); });
    if ((fits || any_axes) && (!array.is_written || any_use)) fitting.push_back(&array);
  }
  return *dice_.pick(fitting.empty() ? all : fitting);
}

std::string Terms::value(const Loops &around, const std::string &also) {
  std::vector<int> axes;
  for (const Loop &loop : around) axes.push_back(loop.axis);
  std::string text = also.empty() ? "" : setting_.is_floating() ? "0.25f * " + also : bounded(also);
  if (setting_.element == "double" && !also.empty()) text = "0.25 * " + also;
  for (int count = dice_.between(1, also.empty() ? 3 : 2); count > 0; --count) {
    std::string term = operand(readable(axes), around);
    if (setting_.uses_helper && dice_.chance(30)) term = fmt::format("blend({}, {})", term, operand(readable(axes), around));
    if (setting_.is_floating()) {
      const std::string constant = setting_.element == "float" ? "0.125f" : "0.125";
      term = dice_.chance(40) && !setting_.factor.empty() ? fmt::format("{} * {}", setting_.factor, term)
                                                          : fmt::format("{} * {}", constant, term);
      if (dice_.chance(6)) term = fmt::format("std::sqrt(std::fabs({}))", term);
      if (dice_.chance(6)) term = fmt::format("({0} > 0 ? {0} : -{0})", operand(readable(axes), around));
    } else if (dice_.chance(25)) {
      term = fmt::format("({} ^ {})", term, dice_.between(1, 7));
    }
    text += text.empty() ? term : (dice_.chance(75) || !setting_.is_floating() ? " + " : " - ") + term;
  }
  return setting_.is_floating() || setting_.element == "unsigned" ? text : "(" + text + ")";
}

std::string Terms::condition(const Loops &around) {
  const Loop &loop = dice_.pick(around);
  const std::string &v = loop.variable;
  switch (dice_.below(8)) {
  case 0:
    return fmt::format("{} > {}", v, dice_.between(0, 3));
  case 1:
    return fmt::format("{} + {} < {}", v, dice_.pick(around).variable, size(loop.axis));
  case 2:
    return around.size() > 1 ? fmt::format("{} <= {}", around[0].variable, around[1].variable) : v + " >= 1";
  case 3:
    return around.size() > 1 ? fmt::format("{} != {}", around[0].variable, around[1].variable) : v + " != 2";
  case 4:
    return fmt::format("{} % 2 == 0", v);
  case 5:
    return fmt::format("{} > 1 && {} + 1 < {}", v, v, size(loop.axis));
  case 6:
    return fmt::format("{} < {} || {} > 4", v, dice_.between(1, 3), v);
  default:
    return fmt::format("{} > 0", operand(readable({loop.axis}), around));
  }
}

std::optional<std::pair<std::string, int>> Terms::position(const Loops &around) {
  for (const Array &array : setting_.arrays) {
    if (!array.is_index) continue;
    const Loop *loop = loop_along(array.axes.front(), around);
    if (loop) return std::pair{fmt::format("{}[{}]", array.name, loop->variable), array.axes.front()};
  }
  return std::nullopt;
}

} // namespace kopt::fuzz
