#include "evaluate/object_file.h"

#include <cstring>
#include <elf.h>
#include <optional>
#include <vector>

namespace kopt {

namespace {

// Bounds-checked reading: the file may have been made to confuse us.
class Reader {
public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <typename T> [[nodiscard]] std::optional<T> at(std::uint64_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }

  [[nodiscard]] std::string text(std::uint64_t offset) const {
    if (offset >= bytes_.size()) return {};
    const std::string_view rest = bytes_.substr(offset);
    return std::string(rest.substr(0, rest.find('\0')));
  }

private:
  std::string_view bytes_;
};

struct Sections {
  std::vector<Elf64_Shdr> headers;
  std::vector<std::string> names;
};

std::optional<Sections> read_sections(const Reader &reader, const Elf64_Ehdr &header) {
  Sections sections;
  for (unsigned k = 0; k < header.e_shnum; ++k) {
    const auto section = reader.at<Elf64_Shdr>(header.e_shoff + std::uint64_t{k} * sizeof(Elf64_Shdr));
    if (!section) return std::nullopt;
    sections.headers.push_back(*section);
  }
  if (header.e_shstrndx >= sections.headers.size()) return std::nullopt;
  for (const Elf64_Shdr &section : sections.headers)
    sections.names.push_back(reader.text(sections.headers[header.e_shstrndx].sh_offset + section.sh_name));
  return sections;
}

// Sections made read-only after relocation do not keep state.
bool holds_state(const Elf64_Shdr &section, const std::string &name) {
  if ((section.sh_flags & SHF_WRITE) == 0) return false;
  for (const char *constant : {".data.rel.ro", ".got", ".dynamic", ".init_array", ".fini_array", ".ctors", ".dtors"})
    if (name.rfind(constant, 0) == 0) return false;
  return true;
}

void add_symbol(ObjectFile &object, const Sections &sections, const Elf64_Sym &symbol, const std::string &name, bool dynamic) {
  const unsigned type = ELF64_ST_TYPE(symbol.st_info);
  if (type == STT_GNU_IFUNC) object.has_indirect_functions = true;
  if (symbol.st_shndx == SHN_UNDEF) {
    if (dynamic && !name.empty()) object.imports.insert(name);
    return;
  }
  if (dynamic && ELF64_ST_BIND(symbol.st_info) != STB_LOCAL) object.exports.insert(name);
  const bool is_variable = type == STT_OBJECT || type == STT_TLS || type == STT_COMMON;
  if (is_variable && symbol.st_shndx < sections.headers.size() &&
      holds_state(sections.headers[symbol.st_shndx], sections.names[symbol.st_shndx]))
    object.variables.insert(name);
}

void add_symbols(ObjectFile &object, const Reader &reader, const Sections &sections, const Elf64_Shdr &table) {
  if (table.sh_link >= sections.headers.size()) return;
  const std::uint64_t names = sections.headers[table.sh_link].sh_offset;
  for (std::uint64_t k = 1; k < table.sh_size / sizeof(Elf64_Sym); ++k) {
    const auto symbol = reader.at<Elf64_Sym>(table.sh_offset + k * sizeof(Elf64_Sym));
    if (!symbol) return;
    add_symbol(object, sections, *symbol, reader.text(names + symbol->st_name), table.sh_type == SHT_DYNSYM);
  }
}

void add_libraries(ObjectFile &object, const Reader &reader, const Sections &sections, const Elf64_Shdr &dynamic) {
  if (dynamic.sh_link >= sections.headers.size()) return;
  for (std::uint64_t k = 0; k < dynamic.sh_size / sizeof(Elf64_Dyn); ++k) {
    const auto entry = reader.at<Elf64_Dyn>(dynamic.sh_offset + k * sizeof(Elf64_Dyn));
    if (!entry || entry->d_tag == DT_NULL) return;
    if (entry->d_tag == DT_NEEDED)
      object.libraries.insert(reader.text(sections.headers[dynamic.sh_link].sh_offset + entry->d_un.d_val));
  }
}

} // namespace

std::uint64_t ObjectFile::size_of(const std::string &section) const {
  const auto found = section_sizes.find(section);
  return found == section_sizes.end() ? 0 : found->second;
}

Result<ObjectFile> read_object(std::string_view bytes, const std::string &name) {
  const Reader reader(bytes);
  const auto header = reader.at<Elf64_Ehdr>(0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64)
    return fail("is not a 64-bit ELF object", name);
  const auto sections = read_sections(reader, *header);
  if (!sections) return fail("has no readable section table", name);
  ObjectFile object;
  for (std::size_t k = 0; k < sections->headers.size(); ++k) {
    const Elf64_Shdr &section = sections->headers[k];
    object.section_sizes[sections->names[k]] += section.sh_size;
    if (section.sh_type == SHT_SYMTAB) object.has_symbol_table = true;
    if (section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM) add_symbols(object, reader, *sections, section);
    if (section.sh_type == SHT_DYNAMIC) add_libraries(object, reader, *sections, section);
  }
  return object;
}

} // namespace kopt
