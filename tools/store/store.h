// Store: accepted variants and their evidence, in the user's source tree, reviewed and versioned like code. An *entry* is one
// folder, <VARIANTS_DIR>/<target>/<slug>/<arch>/, with variant.cpp, plan.txt and record.json; the record names the hashes of
// the other two. An entry says everything that a build needs: no model and no build folder are needed to use it.
#pragma once

#include "core/disk.h"
#include "core/model.h"
#include "core/record.h"
#include "core/spec.h"
#include "core/variant.h"
#include "core/verdict.h"

#include <map>
#include <optional>
#include <string>

namespace kopt {

inline constexpr const char *record_name = "record.json";
inline constexpr const char *rejected_name = "record.rejected.json"; // an entry that the application refuted

struct Entry {
  fs::path path; // of record.json
  Record record;
  std::string variant, plan; // texts of the two files

  // The variant with its provenance, as the judge wants it.
  [[nodiscard]] Variant as_variant() const;
};

// Whether the store of this target can be written; the error says what cannot be, where and what to do. Leaves nothing behind.
// To be asked before any tuning starts.
[[nodiscard]] Result<void> check_writable(Disk &disk, const Spec &spec);

// What the store would keep of a variant. `environment` has cpu, compiler, flags, date, kopt.
[[nodiscard]] Record record_of(const Spec &spec, const Model &model, const Variant &variant, const Verdict &verdict,
                               const std::map<std::string, std::string> &environment);

// Puts a variant into the store in place of what is there for its kernel, whose hash becomes one of the variant's parents.
// The entry changes as a whole: a build sees the old one or the new one. Accepting again what is there, made from the same
// closure, keeps what validation found. Returns record.json.
Result<fs::path> accept(Disk &disk, const Spec &spec, const Model &model, const Variant &variant, const Verdict &verdict,
                        const std::map<std::string, std::string> &environment);

// What the application has refuted of a kernel (by `reject`), with its closure as it is now.
[[nodiscard]] std::vector<Refutation> refutations(const Disk &disk, const Spec &spec, const Model &model);

// Completes what killed commands left half done in the store of a target: a rejection whose entry is still in the build, an
// entry that was being made ready.
Result<void> repair(Disk &disk, const Spec &spec);

// Reads an entry by its record.json. Errors: no record, broken, newer version, a file missing or not as accepted.
[[nodiscard]] Result<Entry> load(const Disk &disk, const fs::path &record);

// The entry of a kernel on an architecture; nothing if none was accepted.
[[nodiscard]] Result<std::optional<Entry>> find_entry(const Disk &disk, const Spec &spec, const std::string &slug,
                                                      const std::string &arch);

// Writes back a changed record, e.g. with its validation.
Result<void> update(Disk &disk, const Entry &entry);

// Takes an entry out of the build. The record goes first.
Result<void> remove(Disk &disk, const fs::path &record);

// Takes an entry out of the build and keeps it as evidence: its record becomes record.rejected.json, with status "rejected",
// this reason, and the variant among those that the application refuted.
Result<void> reject(Disk &disk, Entry entry, const std::string &reason);

// `file` as records spell it: relative to `directory` where it is below `source_root`, else as it is; and back.
[[nodiscard]] std::string recorded_path(const fs::path &file, const fs::path &directory, const fs::path &source_root);
[[nodiscard]] fs::path absolute_path(const std::string &recorded, const fs::path &directory);

} // namespace kopt
