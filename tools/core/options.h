// Options: every setting of `kopt tune`, each with one name everywhere: flag --budget-seconds, environment KOPT_BUDGET_SECONDS,
// key "budget_seconds" in kopt.json, target property KOPT_BUDGET_SECONDS, CMake variable KOPT_BUDGET_SECONDS. Precedence in
// that order, then the default (docs/options.md).
#pragma once

#include "core/error.h"
#include "core/json.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kopt {

struct OptionInfo {
  std::string name; // budget_seconds
  std::string default_value;
  std::string kind; // number, integer, boolean, word, list, path
  std::string help;
  std::vector<std::string> choices = {}; // the words it may have; empty: any
};

// All options, in the order they are documented.
[[nodiscard]] const std::vector<OptionInfo> &option_table();

class Options {
public:
  using Environment = std::function<std::optional<std::string>(const std::string &name)>;

  // Layers from strongest to weakest: flags, environment, kopt.json (may be null), spec. Unknown names in kopt.json and values
  // of the wrong kind are errors naming the layer.
  static Result<Options> resolve(const std::map<std::string, std::string> &flags, const Environment &environment,
                                 const Json &file, const std::map<std::string, std::string> &spec);

  [[nodiscard]] std::string word(const std::string &name) const;
  [[nodiscard]] double number(const std::string &name) const;
  [[nodiscard]] long integer(const std::string &name) const;
  [[nodiscard]] bool boolean(const std::string &name) const;
  [[nodiscard]] std::vector<std::string> list(const std::string &name) const; // separated by ; or ,
  [[nodiscard]] std::string source(const std::string &name) const;            // flag, environment, kopt.json, CMake, default

private:
  struct Entry {
    std::string value, source;
  };
  std::map<std::string, Entry> entries_;
};

// The process's environment.
[[nodiscard]] std::optional<std::string> process_environment(const std::string &name);

} // namespace kopt
