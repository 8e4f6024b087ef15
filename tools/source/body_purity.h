// Purity: functions whose calls only compute a value from their arguments: no writes but to their own locals, no reads through
// pointers or of globals that may change, only calls of pure functions. Functions of <cmath> and std::min, max ... are known by
// name.
#pragma once

#include <clang/AST/Decl.h>
#include <map>
#include <string>

namespace kopt::body {

class Purity {
public:
  // Empty if calls of the function are pure, else the reason why not.
  [[nodiscard]] std::string objection(const clang::FunctionDecl &function);

private:
  [[nodiscard]] std::string look(const clang::FunctionDecl &definition);
  std::map<const clang::FunctionDecl *, std::string> known_;
};

} // namespace kopt::body
