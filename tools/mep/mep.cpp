#include "mep/mep.h"

#include "core/hash.h"
#include "core/process.h"
#include "core/scan.h"
#include "mep/dispatch.h"
#include "mep/source.h"
#include "platform/host.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace kopt {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::string hex_of(const Bytes &bytes) {
  std::string hex;
  for (auto byte : bytes) hex += fmt::format("{:02x}", byte);
  return hex;
}

std::string file_name_of(const std::string &name) {
  std::string file = name;
  std::replace_if(
      file.begin(), file.end(), [](unsigned char c) { return !std::isalnum(c) && c != '-' && c != '_' && c != '.'; }, '_');
  return file;
}

// Writes the lines of cases; contents that occur twice are one file.
class ReplayWriter {
public:
  explicit ReplayWriter(const Model &model) : model_(model) {}

  void add(const Case &kase) {
    replay.text += fmt::format("case {} {}\n", kase.held_out ? 1 : 0, kase.name);
    for (std::size_t b = 0; b < kase.buffers.size(); ++b) {
      const auto &buffer = kase.buffers[b];
      auto stem = fmt::format("{}.buffer-{}", file_name_of(kase.name), b);
      replay.text += fmt::format("buffer {} {} {}\n", buffer.before.size(), file(stem + ".before", buffer.before),
                                 buffer.after ? file(stem + ".after", *buffer.after) : "?");
    }
    for (std::size_t k = 0; k < kase.arguments.size(); ++k) leaf(kase, k);
    for (std::size_t k = 0; k < kase.left.size(); ++k)
      if (!kase.left[k].empty()) replay.text += fmt::format("left {} {}\n", k, hex_of(kase.left[k]));
    if (kase.result) result(*kase.result);
  }

  Replay replay;

private:
  std::string file(const std::string &name, const Bytes &contents) {
    if (std::all_of(contents.begin(), contents.end(), [](auto byte) { return byte == 0; })) return "-";
    std::string text(contents.begin(), contents.end());
    auto [known, is_new] = names_.emplace(hash_of(text), name);
    if (is_new) replay.files[name] = std::move(text);
    return known->second;
  }

  void leaf(const Case &kase, std::size_t k) {
    const auto &argument = kase.arguments[k];
    if (!argument.bytes.empty())
      replay.text += fmt::format("leaf {} scalar {}\n", k, hex_of(argument.bytes));
    else if (argument.buffer)
      replay.text += fmt::format("leaf {} pointer {} {}\n", k, *argument.buffer, argument.offset);
    else if (model_.leaves[k].is_pointer())
      replay.text += fmt::format("leaf {} null\n", k);
  }

  void result(const Bytes &bytes) {
    for (std::size_t k = 0; k < model_.leaves.size(); ++k) {
      const auto &leaf = model_.leaves[k];
      auto size = static_cast<std::size_t>(leaf.element.size) * static_cast<std::size_t>(leaf.count);
      auto begin = static_cast<std::size_t>(leaf.offset);
      if (leaf.origin != "result" || leaf.is_pointer() || begin + size > bytes.size()) continue;
      auto from = bytes.begin() + static_cast<long>(begin);
      replay.text += fmt::format("left {} {}\n", k, hex_of(Bytes(from, from + static_cast<long>(size))));
    }
  }

  const Model &model_;
  std::map<std::string, std::string> names_; // by hash
};

// Rows of the leaf table in main.cpp.
std::string leaf_table(const Model &model) {
  std::string rows;
  for (const auto &leaf : model.leaves) {
    const auto &category = leaf.element.category;
    char kind = category == "float" ? 'f' : category == "integer" || category == "bool" || category == "enum" ? 'i' : 's';
    rows += fmt::format("    {{\"{}\", {}, '{}', {}, {}, {}, {}}},\n", leaf.path, leaf.is_pointer(), kind,
                        std::max(leaf.element.size, 1), leaf.count, leaf.may_be_written(), leaf.origin == "result");
  }
  return rows;
}

// Search paths of the application are relative to its build folder, the MEP's are not.
std::vector<std::string> absolute_paths(const Compile &how) {
  auto arguments = closure_arguments(how.arguments);
  auto absolute = [&](const std::string &path) { return (fs::path(how.directory) / path).lexically_normal().string(); };
  for (std::size_t k = 0; k < arguments.size(); ++k)
    for (std::string option : {"-I", "-isystem", "-idirafter"}) {
      if (arguments[k] == option && k + 1 < arguments.size()) {
        arguments[k + 1] = absolute(arguments[k + 1]);
        ++k;
        break;
      }
      if (arguments[k].starts_with("-I") && arguments[k].size() > 2 && option == "-I")
        arguments[k] = "-I" + absolute(arguments[k].substr(2));
    }
  return arguments;
}

// Options of the compiler that its linker step needs as well.
std::vector<std::string> link_arguments(const std::vector<std::string> &arguments) {
  std::vector<std::string> kept;
  for (const auto &argument : arguments)
    for (const char *prefix :
         {"-fopenmp", "-fsanitize", "-pthread", "-stdlib", "-m32", "-m64", "--target", "--sysroot", "--gcc-toolchain"})
      if (argument.starts_with(prefix)) kept.push_back(argument);
  return kept;
}

// A variant to begin with: the kernel's definition under the name kopt_variant.
std::string variant_stub(const Model &model) {
  auto definition = model.anchor.text;
  auto declarator = declarator_of(definition);
  if (declarator.empty()) return definition;
  const auto &name = declarator.back();
  for (auto at = definition.find(name); at != std::string::npos; at = definition.find(name, at + 1)) {
    auto next = definition.find_first_not_of(" \n", at + name.size());
    if (next == std::string::npos || definition[next] != '(') continue;
    auto qualified = definition.find_last_of(" \n*&", at); // `ns::f`: the variant is inside ns already
    auto begin = qualified == std::string::npos ? at : qualified + 1;
    return definition.replace(begin, at + name.size() - begin, "kopt_variant") + "\n  // ...\n}";
  }
  return definition;
}

// Contents of earlier cases that neither the replay nor the captured document names.
void remove_stale(Disk &disk, const fs::path &folder, const Replay &replay) {
  auto captured = disk.read(folder / "cases.json").value_or("");
  for (const auto &path : disk.files_below(folder)) {
    auto name = path.filename().string();
    bool ours = name.find(".buffer-") != std::string::npos;
    if (ours && !replay.files.count(name) && captured.find("\"" + name + "\"") == std::string::npos) (void)disk.remove(path);
  }
}

} // namespace

Replay replay_of(const Model &model, const std::vector<Case> &cases) {
  ReplayWriter writer(model);
  writer.replay.text = "# Cases of " + model.name + "; README.md says how to replay them.\n";
  for (const auto &kase : cases) writer.add(kase);
  return std::move(writer.replay);
}

Result<void> write_mep(Disk &disk, const Spec &spec, const Model &model, const std::vector<Case> &cases,
                       const Templates &templates) {
  auto folder = spec.mep_dir(model.slug);
  auto arguments = absolute_paths(model.compile);
  const std::map<std::string, std::string> values = {{"KOPT_KERNEL", model.name},
                                                     {"KOPT_TARGET", model.target},
                                                     {"KOPT_VERSION", KOPT_VERSION},
                                                     {"KOPT_COMPILER", model.compile.compiler},
                                                     {"KOPT_FLAGS", shell_quoted(arguments)},
                                                     {"KOPT_LINK_FLAGS", shell_quoted(link_arguments(arguments))},
                                                     {"KOPT_LEAVES", leaf_table(model)},
                                                     {"KOPT_STUB", variant_stub(model)}};
  for (const char *name : {"CMakeLists.txt", "main.cpp", "README.md"}) {
    KOPT_TRY(text, templates.fill(name, values));
    KOPT_CHECK(disk.write(folder / name, text));
  }
  KOPT_CHECK(disk.write(folder / "kernel.cpp", mep_source(model)));
  KOPT_CHECK(disk.write(folder / "kopt_prelude.h", dispatch_prelude()));
  auto replay = replay_of(model, cases);
  remove_stale(disk, folder / "cases", replay);
  for (const auto &[name, contents] : replay.files) KOPT_CHECK(disk.write(folder / "cases" / name, contents));
  return disk.write(folder / "cases" / "replay.txt", replay.text);
}

} // namespace kopt
