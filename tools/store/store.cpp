#include "store/store.h"

#include "core/hash.h"

#include <algorithm>
#include <fmt/format.h>

namespace kopt {

namespace {

const char *const restore = "restore the store from version control (git checkout), or run `ninja kopt-tune`";

bool is_below(const fs::path &file, const fs::path &folder) {
  const auto relative = file.lexically_normal().lexically_relative(folder.lexically_normal());
  return !relative.empty() && *relative.begin() != "..";
}

// A file of the entry, which must be what the record says.
Result<std::string> read_part(const Disk &disk, const fs::path &path, const std::string &hash) {
  if (!disk.exists(path)) return fail("is missing from the variant store", path.string(), restore);
  KOPT_TRY(text, disk.read(path));
  if (hash_of(text) == hash) return text;
  return fail("was changed after it was accepted", path.string(),
              "restore it from version control, or judge it with `kopt evaluate --variant` and accept it again");
}

// Hashes of the variants that this one replaces.
std::vector<std::string> with_previous(std::vector<std::string> parents, const Disk &disk, const fs::path &record) {
  const auto previous = read_record(disk, record);
  if (!previous || std::find(parents.begin(), parents.end(), previous->variant_hash) != parents.end()) return parents;
  parents.push_back(previous->variant_hash);
  return parents;
}

// The folder itself or the nearest one around it that exists.
fs::path nearest_folder(const Disk &disk, fs::path folder) {
  while (!disk.exists(folder) && folder.has_relative_path()) folder = folder.parent_path();
  return folder;
}

} // namespace

Variant Entry::as_variant() const {
  return {variant, plan, record.proposer, record.patterns, record.parameters_chosen, record.parents, record.verdict.precision};
}

Result<void> check_writable(Disk &disk, const Spec &spec) {
  const fs::path store = spec.variants_dir / spec.target;
  const fs::path probe = nearest_folder(disk, store) / ".kopt-can-write";
  auto written = disk.write(probe, "");
  if (written) written = disk.remove(probe);
  if (written) return {};
  return fail(fmt::format("accepted variants cannot be stored: {}", written.error().what), store.string(),
              "make this folder writable, or give kopt_optimize_target() another VARIANTS_DIR");
}

Record record_of(const Spec &spec, const Model &model, const Variant &variant, const Verdict &verdict,
                 const std::map<std::string, std::string> &environment) {
  const auto recorded = [&](const std::string &file) { return recorded_path(file, spec.directory, spec.source_root); };
  Record record;
  record.kernel = model.name;
  record.slug = model.slug;
  record.target = spec.target;
  record.platform = model.platform;
  record.arch = host_arch();
  for (const std::string &source : model.sources) record.sources.push_back(recorded(source));
  if (record.sources.empty()) record.sources = {recorded(model.file)};
  record.source = record.sources.front();
  record.anchor = model.anchor;
  record.anchor.file = recorded(model.anchor.file.empty() ? model.file : model.anchor.file);
  record.pieces = model.closure.pieces;
  for (Piece &piece : record.pieces) piece.file = recorded(piece.file);
  record.macros = model.compile.macros;
  record.leaves = model.leaves;
  record.parameters = model.parameters;
  record.namespaces = model.namespaces;
  record.template_arguments = model.template_arguments;
  record.return_type = model.return_type;
  record.variant_hash = hash_of(variant.text);
  record.plan_hash = hash_of(variant.plan);
  record.verdict = verdict;
  record.environment = environment;
  record.proposer = variant.proposer;
  record.patterns = variant.patterns;
  record.parents = variant.parents;
  record.parameters_chosen = variant.parameters;
  return record;
}

Result<fs::path> accept(Disk &disk, const Spec &spec, const Model &model, const Variant &variant, const Verdict &verdict,
                        const std::map<std::string, std::string> &environment) {
  Record record = record_of(spec, model, variant, verdict, environment);
  const fs::path folder = spec.store_dir(record.slug, record.arch), path = folder / record_name;
  record.parents = with_previous(record.parents, disk, path);
  KOPT_CHECK(disk.write(folder / record.variant_file, variant.text));
  KOPT_CHECK(disk.write(folder / record.plan_file, variant.plan));
  KOPT_CHECK(write_document(disk, path, Json(record)));
  if (disk.exists(folder / rejected_name)) KOPT_CHECK(disk.remove(folder / rejected_name));
  return path;
}

Result<Entry> load(const Disk &disk, const fs::path &record) {
  Entry entry;
  entry.path = record;
  if (!disk.exists(record)) return fail("is missing from the variant store", record.string(), restore);
  KOPT_TRY(decoded, read_record(disk, record));
  entry.record = std::move(decoded);
  KOPT_TRY(variant, read_part(disk, record.parent_path() / entry.record.variant_file, entry.record.variant_hash));
  KOPT_TRY(plan, read_part(disk, record.parent_path() / entry.record.plan_file, entry.record.plan_hash));
  entry.variant = std::move(variant);
  entry.plan = std::move(plan);
  return entry;
}

Result<std::optional<Entry>> find_entry(const Disk &disk, const Spec &spec, const std::string &slug, const std::string &arch) {
  const fs::path path = spec.store_dir(slug, arch) / record_name;
  if (!disk.exists(path)) return std::nullopt;
  KOPT_TRY(entry, load(disk, path));
  return std::optional<Entry>(std::move(entry));
}

Result<void> update(Disk &disk, const Entry &entry) { return write_document(disk, entry.path, Json(entry.record)); }

Result<void> remove(Disk &disk, const fs::path &record) {
  const auto decoded = read_record(disk, record);
  const fs::path folder = record.parent_path();
  KOPT_CHECK(disk.remove(record));
  KOPT_CHECK(disk.remove(folder / (decoded ? decoded->variant_file : "variant.cpp")));
  KOPT_CHECK(disk.remove(folder / (decoded ? decoded->plan_file : "plan.txt")));
  // The folders of the architecture and of the kernel, where nothing else is in them; if they stay, it does no harm.
  for (const fs::path &empty : {folder, folder.parent_path()})
    if (disk.files_below(empty).empty()) static_cast<void>(disk.remove(empty));
  return {};
}

Result<void> reject(Disk &disk, Entry entry, const std::string &reason) {
  entry.record.status = "rejected";
  entry.record.verdict.reason = reason;
  KOPT_CHECK(write_document(disk, entry.path.parent_path() / rejected_name, Json(entry.record)));
  return disk.remove(entry.path);
}

std::string recorded_path(const fs::path &file, const fs::path &directory, const fs::path &source_root) {
  const auto normal = file.lexically_normal();
  if (!is_below(normal, source_root)) return normal.string();
  return normal.lexically_relative(directory.lexically_normal()).string();
}

fs::path absolute_path(const std::string &recorded, const fs::path &directory) {
  return (directory / recorded).lexically_normal();
}

} // namespace kopt
