#include "core/options.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kopt {

namespace {

std::string upper(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return name;
}

std::string dashed(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

template <typename T> bool parses_as(const std::string &text) {
  T value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc{} && end == text.data() + text.size();
}

std::optional<bool> boolean_of(const std::string &text) {
  const std::string word = upper(text);
  if (word == "1" || word == "ON" || word == "TRUE" || word == "YES") return true;
  if (word == "0" || word == "OFF" || word == "FALSE" || word == "NO" || word.empty()) return false;
  return std::nullopt;
}

// Separated by ; or ,
std::vector<std::string> words_of(const std::string &value) {
  std::vector<std::string> words(1);
  for (const char c : value) {
    if (c == ';' || c == ',')
      words.emplace_back();
    else
      words.back() += c;
  }
  words.erase(std::remove(words.begin(), words.end(), std::string()), words.end());
  return words;
}

bool fits(const OptionInfo &info, const std::string &value) {
  if (info.kind == "number") return parses_as<double>(value) && std::strtod(value.c_str(), nullptr) >= 0;
  if (info.kind == "integer") return parses_as<long>(value) && std::strtol(value.c_str(), nullptr, 10) >= 0;
  if (info.kind == "boolean") return boolean_of(value).has_value();
  const auto known = [&](const std::string &word) {
    return std::find(info.choices.begin(), info.choices.end(), word) != info.choices.end();
  };
  const auto words = words_of(value);
  return info.choices.empty() || (!words.empty() && std::all_of(words.begin(), words.end(), known));
}

// What to give instead of a value that does not fit.
std::string remedy_of(const OptionInfo &info) {
  if (info.kind == "number") return "give a number that is not negative";
  if (info.kind == "integer") return "give a whole number that is not negative";
  if (info.kind == "boolean") return "give ON or OFF";
  return fmt::format("give {}", fmt::join(info.choices, " or "));
}

// Where a user finds the value of the option that came from this layer.
std::string place_of(const OptionInfo &info, const std::string &layer) {
  const std::string variable = "KOPT_" + upper(info.name);
  if (layer == "environment") return variable + " in the environment";
  if (layer == "CMake") return variable + " in CMake";
  if (layer == "flag") return "flag --" + dashed(info.name);
  return layer;
}

std::string text_of(const Json &json) {
  if (json.is_string()) return json.get<std::string>();
  if (!json.is_array()) return json.dump();
  std::string joined;
  for (const Json &entry : json) joined += (joined.empty() ? "" : ";") + text_of(entry);
  return joined;
}

Result<void> check_names(const Json &file) {
  if (file.is_null()) return {};
  if (!file.is_object()) return fail("is not a JSON object", "kopt.json", "write {\"budget_seconds\": 60}, for example");
  for (const auto &[name, value] : file.items()) {
    const auto &table = option_table();
    const auto known =
        std::any_of(table.begin(), table.end(), [&, key = name](const OptionInfo &info) { return info.name == key; });
    if (!known && name != "format" && name != "version")
      return fail(fmt::format("unknown option \"{}\"", name), "kopt.json", "`kopt tune --help` lists the options");
  }
  return {};
}

} // namespace

const std::vector<OptionInfo> &option_table() {
  static const std::vector<OptionInfo> table = {
      {"propose", "rules", "list", "what makes candidates: rules", {"rules"}},
      {"strategy", "sweep", "word", "how proposals are spent: sweep", {"sweep"}},
      {"budget_seconds", "120", "number", "wall-clock seconds for each kernel"},
      {"budget_evaluations", "60", "integer", "candidates judged for each kernel at most"},
      {"tolerance", "", "number", "relative difference allowed; default 1e-9 for double, 1e-5 for float"},
      {"tolerance_absolute", "0", "number", "absolute difference allowed"},
      {"min_speedup", "1.02", "number", "what the lower end of the confidence interval must clear"},
      {"judge_seconds", "15", "number", "seconds for timing one candidate in full"},
      {"seed", "1", "integer", "for contents, order and search"},
      {"capture_limit_mb", "2048", "integer", "largest capture of one kernel call"},
      {"capture_calls", "4", "integer", "kinds of calls captured of each kernel: those that take most of its time"},
      {"validate_pairs", "6", "integer", "pairs of application runs in kopt validate; 6 give an interval of 97 % confidence"},
      {"required", "OFF", "boolean", "a kernel with nothing accepted fails the gate"},
      {"sandbox", "ON", "boolean", "run candidates under Landlock and seccomp where the system has them"},
  };
  return table;
}

Result<Options> Options::resolve(const std::map<std::string, std::string> &flags, const Environment &environment,
                                 const Json &file, const std::map<std::string, std::string> &spec) {
  KOPT_CHECK(check_names(file));
  Options options;
  for (const OptionInfo &info : option_table()) {
    Entry entry{info.default_value, "default"};
    if (const auto found = spec.find(info.name); found != spec.end() && !found->second.empty())
      entry = {found->second, "CMake"};
    if (file.is_object() && file.contains(info.name)) entry = {text_of(file[info.name]), "kopt.json"};
    if (const auto value = environment("KOPT_" + upper(info.name)); value && !value->empty()) entry = {*value, "environment"};
    if (const auto found = flags.find(info.name); found != flags.end()) entry = {found->second, "flag"};
    if (entry.source != "default" && !fits(info, entry.value))
      return fail(fmt::format("{} is not a value of {}", entry.value, info.name), place_of(info, entry.source),
                  remedy_of(info));
    options.entries_[info.name] = entry;
  }
  return options;
}

std::string Options::word(const std::string &name) const { return entries_.at(name).value; }

double Options::number(const std::string &name) const { return std::strtod(word(name).c_str(), nullptr); }

long Options::integer(const std::string &name) const { return std::strtol(word(name).c_str(), nullptr, 10); }

bool Options::boolean(const std::string &name) const { return boolean_of(word(name)).value_or(false); }

std::vector<std::string> Options::list(const std::string &name) const { return words_of(word(name)); }

std::string Options::source(const std::string &name) const { return entries_.at(name).source; }

std::optional<std::string> process_environment(const std::string &name) {
  const char *value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

} // namespace kopt
