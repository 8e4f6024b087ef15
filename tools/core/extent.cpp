#include "core/extent.h"

namespace kopt {
namespace {

std::string nested(const std::string &function, const std::vector<Polynomial> &values, std::size_t from = 0) {
  if (from + 1 == values.size()) return values[from].text();
  return function + "(" + values[from].text() + ", " + nested(function, values, from + 1) + ")";
}

} // namespace

std::string Extent::text() const { return end.empty() ? "0" : nested("max", end); }

std::string Extent::first_text() const { return first.empty() ? "0" : nested("min", first); }

std::string Extent::shown() const { return first.empty() ? text() : "from " + first_text() + " to " + text(); }

void to_json(Json &json, const Extent &extent) {
  if (extent.first.empty() && extent.end.size() == 1)
    json = extent.end.front();
  else
    json = Json{{"first", extent.first}, {"end", extent.end}};
}

void from_json(const Json &json, Extent &extent) {
  if (json.is_array()) {
    extent = Extent(json.get<Polynomial>());
  } else {
    extent.first = json.at("first").get<std::vector<Polynomial>>();
    extent.end = json.at("end").get<std::vector<Polynomial>>();
  }
}

} // namespace kopt
