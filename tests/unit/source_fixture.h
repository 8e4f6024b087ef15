// A project in a folder of its own, made from one text: a source, its headers, compile_commands.json and a spec.
//   //! file NAME        begins another file; the text before the first of them is kernel.cpp
//   // kopt-KEY: VALUE   says something about the case; a key may stand more than once
#pragma once

#include "core/spec.h"

#include <map>
#include <string>
#include <vector>

namespace kopt::fixture {

class Project {
public:
  // `name` makes the folder, below the test's working folder.
  Project(const std::string &name, const std::string &text);
  ~Project();
  Project(const Project &) = delete;
  Project &operator=(const Project &) = delete;

  [[nodiscard]] const fs::path &folder() const { return folder_; }
  [[nodiscard]] Spec spec() const;
  [[nodiscard]] std::vector<std::string> values(const std::string &key) const; // of // kopt-KEY: lines
  [[nodiscard]] std::string value(const std::string &key) const;               // the first, or nothing
  // Lines that end with this mark ("+" or "-"), without it.
  [[nodiscard]] std::vector<std::string> marked(const std::string &mark) const;

private:
  fs::path folder_;
  std::map<std::string, std::string> files_;
  std::multimap<std::string, std::string> values_;
};

} // namespace kopt::fixture
