// Memory of the application, as the recorder needs it: which *object* (heap allocation, global, variable on the stack) a
// pointer leads into, from AddressSanitizer's books; else the *mapping* it lies in; else the *window* that the kernel touches,
// where the model has its extent. Memory is read by the kernel alone, which says so where it cannot be, instead of ending the
// application.
#ifndef KOPT_CAPTURE_MEMORY_H
#define KOPT_CAPTURE_MEMORY_H

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <link.h>
#include <string>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include <vector>

// Shared with the prelude of instrumented sources (tools/mep/probe.cpp).
struct kopt_probe_leaf {
  const char *path;
  const volatile void *address; // of a scalar's bytes; for a pointer leaf, where it points
  unsigned long long size;      // bytes of a scalar, or of one element that a pointer leads to
  long long first, end; // elements that the kernel touches: from `first`, 0 or below, up to but excluding `end`; -1: not known
  int flags;
};
enum { kopt_leaf_pointer = 1, kopt_leaf_written = 2, kopt_leaf_unused = 4, kopt_leaf_shape = 8 };

extern "C" {
// Absent where the executable is linked without AddressSanitizer.
__attribute__((weak)) const char *__asan_locate_address(void *, char *, size_t, void **, size_t *);
__attribute__((weak)) int __asan_address_is_poisoned(const volatile void *);
}

namespace kopt_capture {

constexpr int margin = 16; // bytes ahead of an object that are surely there

// A stretch of memory. `kind`: heap, stack, global, mapping, window or empty (nothing is touched through the pointer).
struct Region {
  const char *begin;
  const char *end;
  const char *kind;
  const char *leaf; // path of the first leaf that leads into it
  bool written;

  unsigned long long size() const { return static_cast<unsigned long long>(end - begin); }
  bool holds(const char *pointer) const { return begin <= pointer && pointer < end; }
};

// Copies memory of this process; false where some of it cannot be read. Direct system calls: a sanitizer would look at what
// passes through the library's functions.
__attribute__((no_sanitize_address)) inline bool copy_memory(char *to, const char *from, size_t size) {
  while (size > 0) {
    iovec local = {to, size}, remote = {const_cast<char *>(from), size};
    const long count = syscall(SYS_process_vm_readv, getpid(), &local, 1UL, &remote, 1UL, 0UL);
    if (count < 0 && (errno == ENOSYS || errno == EPERM)) { // not here: as any program reads
      for (size_t i = 0; i < size; ++i) {
        to[i] = from[i];
        if (i % 64 == 0) __asm__ volatile("" ::: "memory"); // stays a loop: memcpy() would be checked
      }
      return true;
    }
    if (count <= 0) return false;
    to += count;
    from += count;
    size -= static_cast<size_t>(count);
  }
  return true;
}

// The end of what can be read from `begin` on, `end` at most: mapped files may be shorter than their mapping.
inline const char *readable_end(const char *begin, const char *end) {
  constexpr long page = 4096;
  char byte;
  if (begin == end || copy_memory(&byte, end - 1, 1)) return end;
  const char *low = begin, *high = end - 1; // low: readable until there
  while (high - low > page) {
    const char *middle = low + (high - low) / 2;
    (copy_memory(&byte, middle, 1) ? low : high) = middle;
  }
  // One page edge lies between the two.
  const char *edge = reinterpret_cast<const char *>(reinterpret_cast<std::uintptr_t>(high) / page * page);
  return edge > begin ? edge : begin;
}

inline bool has_extent(const kopt_probe_leaf &leaf) { return leaf.end >= 0; }
inline bool touches_nothing(const kopt_probe_leaf &leaf) {
  return (leaf.flags & kopt_leaf_unused) || (leaf.end == 0 && leaf.first == 0);
}

// Bytes that the kernel touches from the pointer on, and ahead of it; 0 where the model does not know.
inline unsigned long long bytes_behind(const kopt_probe_leaf &leaf) {
  return has_extent(leaf) ? static_cast<unsigned long long>(leaf.end) * leaf.size : 0;
}
inline unsigned long long bytes_ahead(const kopt_probe_leaf &leaf) {
  return has_extent(leaf) ? static_cast<unsigned long long>(-leaf.first) * leaf.size : 0;
}

inline const char *target_of(const kopt_probe_leaf &leaf) {
  return static_cast<const char *>(const_cast<const void *>(leaf.address));
}

inline Region nothing() {
  const Region region = {nullptr, nullptr, "", "", false};
  return region;
}

// The live object that a pointer leads into; empty where it is not known. `p - 1` of an array that is counted from one leads
// into the array.
inline Region object_at(const char *pointer) {
  if (__asan_locate_address == nullptr) return nothing();
  void *begin = nullptr;
  size_t size = 0;
  char name[2];
  const char *kind = __asan_locate_address(const_cast<char *>(pointer), name, sizeof name, &begin, &size);
  if (begin == nullptr || size == 0 || __asan_address_is_poisoned(begin)) return nothing(); // unknown, or freed
  const char *first = static_cast<const char *>(begin), *last = first + size;
  if (pointer < first - margin || pointer > last) return nothing(); // the nearest object is not the one
  const Region region = {pointer < first ? pointer : first, last, kind, "", false};
  return region;
}

// Memory that was freed, or lies between objects: AddressSanitizer knows that it is nobody's.
inline bool is_nobodys(const char *pointer) {
  return __asan_address_is_poisoned != nullptr && __asan_address_is_poisoned(pointer) != 0;
}

// The mappings of this process in the order of their addresses.
struct Mapping {
  const char *begin;
  const char *end;
  bool readable;
  bool shared; // [heap], [stack]: with objects of every kind, the recorder's own among them
};

inline std::vector<Mapping> mappings() {
  std::vector<Mapping> list;
  std::string text;
  const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  char chunk[4096];
  for (ssize_t count; file >= 0 && (count = read(file, chunk, sizeof chunk)) > 0;)
    text.append(chunk, static_cast<size_t>(count));
  if (file >= 0) close(file);
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at) == std::string::npos ? text.size() : text.find('\n', at);
    unsigned long long first = 0, last = 0;
    char access[8] = "";
    if (std::sscanf(text.c_str() + at, "%llx-%llx %4s", &first, &last, access) == 3) {
      const std::string line = text.substr(at, end - at);
      const Mapping mapping = {reinterpret_cast<const char *>(first), reinterpret_cast<const char *>(last), access[0] == 'r',
                               line.find("[heap]") != std::string::npos || line.find("[stack") != std::string::npos};
      list.push_back(mapping);
    }
    at = end + 1;
  }
  return list;
}

// Whether a pointer leads to the variables of the executable or of a library, and so beside the recorder's own.
inline bool is_among_variables(const char *pointer) {
  const auto look = [](dl_phdr_info *image, size_t, void *pointer_to) {
    const ElfW(Addr) address = *static_cast<ElfW(Addr) *>(pointer_to);
    for (int i = 0; i < image->dlpi_phnum; ++i) {
      const ElfW(Phdr) &segment = image->dlpi_phdr[i];
      const ElfW(Addr) begin = image->dlpi_addr + segment.p_vaddr;
      if (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) && begin <= address && address < begin + segment.p_memsz)
        return 1;
    }
    return 0;
  };
  ElfW(Addr) address = reinterpret_cast<ElfW(Addr)>(pointer);
  return dl_iterate_phdr(look, &address) != 0;
}

// Readable memory around a pointer: the mapping that holds it, and those that follow without a gap as far as `wanted` bytes
// from the pointer on.
inline Region mapping_at(const std::vector<Mapping> &all, const char *pointer, unsigned long long wanted, bool &shared) {
  Region region = nothing();
  for (size_t i = 0; i < all.size(); ++i) {
    const bool first = region.size() == 0 && all[i].begin <= pointer && pointer < all[i].end;
    const bool next = region.size() != 0 && all[i].begin == region.end && region.end < pointer + wanted;
    if (!all[i].readable || (!first && !next)) continue;
    if (first) region.begin = all[i].begin;
    region.end = all[i].end;
    region.kind = "mapping";
    shared = shared || all[i].shared;
  }
  region.end = region.size() == 0 ? region.end : readable_end(pointer, region.end);
  return region;
}

// What the kernel touches, by the model, as far as it can be read.
inline Region window_at(const std::vector<Mapping> &all, const kopt_probe_leaf &leaf) {
  if (!has_extent(leaf)) return nothing();
  const char *pointer = target_of(leaf);
  bool shared = false;
  Region region = mapping_at(all, pointer, bytes_behind(leaf), shared);
  if (region.size() == 0) return nothing();
  if (static_cast<unsigned long long>(pointer - region.begin) > bytes_ahead(leaf)) region.begin = pointer - bytes_ahead(leaf);
  if (static_cast<unsigned long long>(region.end - pointer) > bytes_behind(leaf)) region.end = pointer + bytes_behind(leaf);
  region.kind = "window";
  return region;
}

// Where a pointer leads that is not null. `narrow`: no more than the kernel touches, if the model has that.
inline Region region_at(const std::vector<Mapping> &all, const kopt_probe_leaf &leaf, bool narrow) {
  const char *pointer = target_of(leaf);
  if (touches_nothing(leaf)) {
    const Region empty = {pointer, pointer, "empty", "", false};
    return empty;
  }
  Region window = narrow ? window_at(all, leaf) : nothing();
  if (window.size() != 0) return window;
  const Region object = object_at(pointer);
  if (object.size() != 0) return object;
  if (is_nobodys(pointer)) return nothing();
  bool shared = false;
  const Region mapping = mapping_at(all, pointer, bytes_behind(leaf), shared);
  if (mapping.size() != 0 && !shared && !is_among_variables(pointer)) return mapping;
  return window_at(all, leaf);
}

// Regions that overlap become one: pointers into one object stay so.
inline void add_region(std::vector<Region> &regions, Region region) {
  for (size_t i = 0; i < regions.size();) {
    const Region &other = regions[i];
    const bool inside = region.size() == 0 && other.begin <= region.begin && region.end <= other.end;
    const bool around = other.size() == 0 && region.begin <= other.begin && other.end <= region.end;
    if (!inside && !around && (other.end <= region.begin || region.end <= other.begin)) {
      ++i;
      continue;
    }
    if (other.size() > region.size()) region.kind = other.kind;
    region.leaf = other.leaf;
    region.begin = region.begin < other.begin ? region.begin : other.begin;
    region.end = region.end > other.end ? region.end : other.end;
    region.written = region.written || other.written;
    regions.erase(regions.begin() + static_cast<std::ptrdiff_t>(i));
    i = 0;
  }
  regions.push_back(region);
}

} // namespace kopt_capture

#endif
