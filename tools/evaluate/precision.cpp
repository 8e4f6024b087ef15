#include "evaluate/precision.h"

#include "core/feature.h"
#include "evaluate/token.h"

#include <algorithm>
#include <set>

namespace kopt {

namespace {

constexpr const char *contraction = "contracts floating point";

// Words of `"avx2,fma"`.
void add_words(const std::string &literal, std::set<std::string> &words) {
  std::string word;
  for (const char c : literal) {
    if (c == ',' || c == '"') {
      words.insert(word);
      word.clear();
    } else if (c != ' ') {
      word += c;
    }
  }
  words.erase("");
}

void add_features(std::string_view text, std::set<std::string> &features) {
  const std::vector<Token> tokens = tokens_of(text);
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    if (tokens[k].kind == Token::Kind::Directive && tokens[k].text.size() > 1)
      add_features(std::string_view(tokens[k].text).substr(1), features); // the body of a macro
    if (k + 2 < tokens.size() && (tokens[k].is("target") || tokens[k].is("__target__")) && tokens[k + 1].is("("))
      if (tokens[k + 2].kind == Token::Kind::Literal) add_words(tokens[k + 2].text, features);
  }
}

} // namespace

std::vector<std::string> features_used(std::string_view variant) {
  std::set<std::string> features;
  add_features(variant, features);
  return {features.begin(), features.end()};
}

std::vector<std::string> precision_changes(const Variant &variant, const Compile &compile) {
  std::vector<std::string> changes = variant.precision;
  const std::vector<std::string> features = features_used(variant.text);
  const bool fuses = std::any_of(features.begin(), features.end(), [](const auto &name) { return fuses_multiply_add(name); });
  const bool told = std::find(changes.begin(), changes.end(), contraction) != changes.end();
  if (fuses && may_contract(compile.arguments) && !told) changes.emplace_back(contraction);
  return changes;
}

std::optional<std::string> unguarded_feature(std::string_view variant, const Plan &plan) {
  for (const std::string &feature : features_used(variant)) {
    const bool guarded = std::any_of(plan.guards.begin(), plan.guards.end(), [&](const Guard &guard) {
      return guard.kind == Guard::Kind::Cpu && guard.feature == feature;
    });
    if (!guarded) return feature;
  }
  return std::nullopt;
}

} // namespace kopt
