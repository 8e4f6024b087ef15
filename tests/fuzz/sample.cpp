#include "sample.h"

#include "nests.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kopt::fuzz {

namespace {

constexpr int row_length = 96; // of `T (*x)[96]`: longer than any size, so that no subscript leaves its row

class Maker {
public:
  Maker(std::uint64_t seed, std::string name) : dice_(seed) {
    sample_.seed = seed;
    sample_.name = std::move(name);
  }

  Sample run() {
    choose_types();
    choose_sizes();
    choose_arrays();
    const Nests nests = make_nests(setting_, dice_);
    sample_.element = setting_.element;
    sample_.returns = nests.returns_value ? setting_.element : "void";
    sample_.arrays = setting_.arrays;
    write_helper();
    if (dice_.chance(12)) sample_.scope = "heat::";
    sample_.text = function(nests.text, false);
    sample_.tracer = function(nests.text, true);
    choose_sharings();
    return sample_;
  }

private:
  Dice dice_;
  Setting setting_;
  Sample sample_;
  bool in_struct_ = false, padded_ = false;

  void choose_types() {
    const int element = dice_.below(100), integer = dice_.below(100);
    setting_.element = element < 60 ? "double" : element < 80 ? "float" : element < 91 ? "int" : "unsigned";
    setting_.integer = integer < 74 ? "int" : integer < 86 ? "long" : integer < 95 ? "std::size_t" : "unsigned";
    setting_.uses_helper = dice_.chance(8);
  }

  void choose_sizes() {
    const std::vector<std::vector<std::string>> ways{{"n", "m", "p"}, {"n", "n", "n"}, {"n", "m", "n"}, {"n", "m", "m"}};
    setting_.sizes = dice_.pick(ways);
    in_struct_ = dice_.chance(12);
    if (setting_.is_floating() && dice_.chance(70)) setting_.factor = "a";
    if (!in_struct_) return;
    for (std::string &size : setting_.sizes) size = "g." + size;
    if (!setting_.factor.empty()) setting_.factor = "g.a";
    sample_.prefix += fmt::format("struct Grid {{\n  {} n, m, p;\n  {} a;\n}};\n", setting_.integer, setting_.element);
  }

  // One to three dimensions; flat arrays and matrices are the most frequent.
  Array new_array(const std::string &name) {
    Array array;
    array.name = name;
    const std::vector<std::vector<int>> shapes{{0}, {1}, {0, 1}, {0, 1}, {0, 1}, {1, 0}, {0, 2}, {2, 1}, {2, 1}, {1, 2}};
    array.axes = dice_.chance(8) ? std::vector<int>{0, 1, 2} : dice_.pick(shapes);
    const int view = dice_.below(100);
    if (array.axes.size() == 2) array.view = view < 72 ? Array::View::Row : view < 86 ? Array::View::Column : Array::View::Rows;
    if (array.axes.size() == 2 && array.view == Array::View::Row && dice_.chance(10)) array.is_padded = true;
    if (array.axes.size() == 3) sample_.is_cubic = true;
    padded_ = padded_ || array.is_padded;
    return array;
  }

  // x[i][k], y[k][j] and z[i][j], or x[i][j] with y[i] and z[j], in some layout each.
  void choose_theme() {
    const bool product = dice_.chance(55);
    const std::vector<std::vector<int>> axes =
        product ? std::vector<std::vector<int>>{{0, 2}, {2, 1}, {0, 1}} : std::vector<std::vector<int>>{{0, 1}, {0}, {1}};
    for (std::size_t k = 0; k < axes.size(); ++k) {
      Array array;
      array.name = std::string(1, "xyz"[k]);
      array.axes = axes[k];
      if (axes[k].size() == 2)
        array.view = dice_.chance(80) ? Array::View::Row : dice_.chance(50) ? Array::View::Column : Array::View::Rows;
      array.is_written = k + 1 == axes.size();
      setting_.arrays.push_back(array);
    }
    setting_.has_theme = true;
  }

  void choose_arrays() {
    if (dice_.chance(28)) return choose_theme();
    const std::vector<std::string> names{"x", "y", "z", "w"};
    const int count = dice_.between(2, 4), written = dice_.between(1, 2);
    for (int k = 0; k < count; ++k) {
      setting_.arrays.push_back(new_array(names[static_cast<std::size_t>(k)]));
      setting_.arrays.back().is_written = k >= count - written;
    }
    if (dice_.chance(10)) setting_.arrays.push_back({"out", {}, Array::View::Reference, false, true, false});
    if (dice_.chance(12)) setting_.arrays.push_back({"index", {dice_.below(2)}, Array::View::Row, false, false, true});
    if (dice_.chance(25)) dice_.shuffle(setting_.arrays);
  }

  void write_helper() {
    if (!setting_.uses_helper) return;
    const std::string &T = setting_.element;
    sample_.prefix += fmt::format("static inline {0} blend({0} one, {0} other) {{ return one + other; }}\n", T);
  }

  std::string parameter(const Array &array, bool traced) const {
    const std::string element = array.is_index ? "int" : setting_.element;
    const std::string type = (array.is_written ? "" : "const ") + element;
    if (array.view == Array::View::Reference) return fmt::format("{} &{}", type, array.name);
    if (array.view == Array::View::Rows)
      return traced ? fmt::format("TracedRows<{}, {}> {}", element, row_length, array.name)
                    : fmt::format("{} (*{})[{}]", type, array.name, row_length);
    return traced ? fmt::format("Traced<{}> {}", element, array.name) : fmt::format("{} *{}", type, array.name);
  }

  std::string function(const std::string &body, bool traced) {
    std::vector<std::string> parameters;
    sample_.arguments.clear();
    const auto add = [&](const std::string &text, const std::string &argument) {
      parameters.push_back(text);
      sample_.arguments.push_back(argument);
    };
    const std::string &I = setting_.integer, &T = setting_.element;
    if (in_struct_) {
      add("const Grid &g", fmt::format("{{ns}}Grid{{({0})n, ({0})m, ({0})p, ({1})0.375}}", I, T));
    } else {
      for (const char *size : {"n", "m", "p"})
        if (std::find(setting_.sizes.begin(), setting_.sizes.end(), size) != setting_.sizes.end())
          add(fmt::format("{} {}", I, size), size);
      if (!setting_.factor.empty()) add(fmt::format("{} a", T), "0.375");
    }
    if (padded_) add(fmt::format("{} ld", I), "ld");
    for (std::size_t k = 0; k < setting_.arrays.size(); ++k)
      add(parameter(setting_.arrays[k], traced), "@" + std::to_string(k));
    return fmt::format("{} {}({}) {{\n{}}}\n", sample_.returns, sample_.name, fmt::join(parameters, ", "), body);
  }

  // Equal pointers, and neighbours: what the guards must send to the original.
  void choose_sharings() {
    std::vector<std::pair<int, int>> pairs;
    for (int i = 0; i < static_cast<int>(setting_.arrays.size()); ++i)
      for (int j = 0; j < static_cast<int>(setting_.arrays.size()); ++j) {
        const Array &one = setting_.arrays[static_cast<std::size_t>(i)], &other = setting_.arrays[static_cast<std::size_t>(j)];
        if (i != j && !one.is_index && !other.is_index && (one.is_written || other.is_written)) pairs.emplace_back(i, j);
      }
    const std::vector<int> shifts{0, 0, 1, 2, 3, 7, 17, 40};
    for (int count = pairs.empty() ? 0 : 3; count > 0; --count) {
      const auto [first, second] = dice_.pick(pairs);
      sample_.sharings.push_back({first, second, dice_.pick(shifts)});
    }
  }
};

} // namespace

Sample make_sample(std::uint64_t seed, const std::string &name) { return Maker(seed, name).run(); }

} // namespace kopt::fuzz
