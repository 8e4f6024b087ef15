// ObjectFile: what an ELF shared object says about itself, without loading it.
#pragma once

#include "core/error.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace kopt {

struct ObjectFile {
  std::set<std::string> imports;   // undefined symbols
  std::set<std::string> exports;   // defined dynamic symbols
  std::set<std::string> variables; // objects in writable or thread-local sections, by symbol
  std::set<std::string> libraries; // DT_NEEDED
  std::map<std::string, std::uint64_t> section_sizes;
  bool has_indirect_functions = false; // STT_GNU_IFUNC: code that runs while loading
  bool has_symbol_table = false;

  [[nodiscard]] std::uint64_t size_of(const std::string &section) const;
};

// `name` is for messages.
[[nodiscard]] Result<ObjectFile> read_object(std::string_view bytes, const std::string &name);

} // namespace kopt
