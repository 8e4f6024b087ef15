#include "store/store.h"

#include "core/hash.h"

#include <algorithm>
#include <fmt/format.h>

namespace kopt {

namespace {

constexpr const char *probe_name = ".kopt-can-write";
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

Refutation refutation_of(const Record &record, const std::string &reason, const std::string &date) {
  return {record.variant_hash,
          record.plan_hash,
          record.parameters_chosen,
          closure_hash(record.pieces, record.macros),
          reason,
          date};
}

bool is_variant_of(const Record &record, const Refutation &refutation) {
  return refutation.variant_hash == record.variant_hash && refutation.plan_hash == record.plan_hash &&
         refutation.parameters == record.parameters_chosen;
}

bool same_variant(const Record &a, const Record &b) {
  return a.variant_hash == b.variant_hash && a.plan_hash == b.plan_hash && a.parameters_chosen == b.parameters_chosen &&
         closure_hash(a.pieces, a.macros) == closure_hash(b.pieces, b.macros);
}

// What the entry that a new one replaces hands on to it.
void inherit(Record &record, const Record &previous) {
  if (same_variant(record, previous)) {
    record.status = previous.status;
    record.validation = previous.validation;
    record.parents = previous.parents;
  } else if (std::find(record.parents.begin(), record.parents.end(), previous.variant_hash) == record.parents.end()) {
    record.parents.push_back(previous.variant_hash);
  }
}

// But for the machine that it was made on.
bool says_the_same(Record record, const Record &previous) {
  record.environment = previous.environment;
  return Json(record) == Json(previous);
}

// Refutations that an entry's folder holds, in the record that is in the build and in the one that was taken out of it.
std::vector<Refutation> refuted_in(const Disk &disk, const fs::path &folder, const std::string &closure) {
  std::vector<Refutation> found;
  for (const char *name : {rejected_name, record_name}) {
    const auto record = read_record(disk, folder / name);
    if (!record) continue;
    for (const Refutation &refutation : record->refuted)
      if (refutation.closure == closure) found.push_back(refutation);
    // Rejected by a version that kept no list.
    if (name == rejected_name && closure_hash(record->pieces, record->macros) == closure)
      found.push_back(refutation_of(*record, record->verdict.reason, record->validation ? record->validation->date : ""));
  }
  std::vector<Refutation> once;
  for (const Refutation &refutation : found) {
    const auto same = [&](const Refutation &other) {
      return other.variant_hash == refutation.variant_hash && other.plan_hash == refutation.plan_hash &&
             other.parameters == refutation.parameters;
    };
    if (std::none_of(once.begin(), once.end(), same)) once.push_back(refutation);
  }
  return once;
}

// Where a new entry is made ready: deeper or higher than any entry, so that nothing takes it for one.
fs::path aside_of(const fs::path &folder) {
  const fs::path kernel = folder.parent_path();
  return kernel.parent_path() / fmt::format(".{}.{}.new", kernel.filename().string(), folder.filename().string());
}

bool is_aside(const fs::path &folder, const fs::path &store) {
  const std::string name = folder.filename().string();
  return folder.parent_path() == store && name.starts_with(".") && name.ends_with(".new");
}

// Under its temporary name: record.json.Ab3xYz.
bool is_unfinished_write(const fs::path &file) {
  const std::string stem = file.stem().string();
  if (file.filename().string().starts_with(probe_name)) return true;
  return file.extension().string().size() == 7 && (stem == record_name || stem == rejected_name);
}

} // namespace

Variant Entry::as_variant() const {
  return {variant, plan, record.proposer, record.patterns, record.parameters_chosen, record.parents, record.verdict.precision};
}

Result<void> check_writable(Disk &disk, const Spec &spec) {
  const fs::path store = spec.variants_dir / spec.target;
  const fs::path probe = store / probe_name;
  auto written = disk.write(probe, "");
  if (written) written = disk.remove(probe);
  for (const fs::path &made : {store, spec.variants_dir}) // folders that were made for this alone
    if (disk.files_below(made).empty()) static_cast<void>(disk.remove(made));
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
  record.refuted = refuted_in(disk, folder, closure_hash(record.pieces, record.macros));
  std::erase_if(record.refuted, [&](const Refutation &refutation) { return is_variant_of(record, refutation); });
  if (const auto previous = load(disk, path)) {
    inherit(record, previous->record);
    if (says_the_same(record, previous->record)) return path;
  }
  Files files;
  for (const fs::path &other : disk.files_below(folder)) { // a user's own notes
    KOPT_TRY(contents, disk.read(other));
    files[other.lexically_relative(folder).string()] = contents;
  }
  files.erase(rejected_name);
  files[record.variant_file] = variant.text;
  files[record.plan_file] = variant.plan;
  files[record_name] = document_text(Json(record));
  KOPT_CHECK(disk.replace_folder(folder, files, aside_of(folder), record_name));
  return path;
}

std::vector<Refutation> refutations(const Disk &disk, const Spec &spec, const Model &model) {
  return refuted_in(disk, spec.store_dir(model.slug, host_arch()), closure_hash(model.closure.pieces, model.compile.macros));
}

Result<void> repair(Disk &disk, const Spec &spec) {
  const fs::path store = spec.variants_dir / spec.target;
  for (const fs::path &file : disk.files_below(store)) {
    const fs::path folder = file.parent_path();
    if (is_aside(folder, store) || is_unfinished_write(file)) {
      KOPT_CHECK(disk.remove(file));
      if (is_aside(folder, store) && disk.files_below(folder).empty()) KOPT_CHECK(disk.remove(folder));
      continue;
    }
    if (file.filename() != rejected_name) continue;
    const auto rejected = read_record(disk, file), record = read_record(disk, folder / record_name);
    if (rejected && record && same_variant(*rejected, *record)) KOPT_CHECK(disk.remove(folder / record_name));
  }
  return {};
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
  const std::string date = entry.record.validation ? entry.record.validation->date : "";
  entry.record.refuted.push_back(refutation_of(entry.record, reason, date));
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
