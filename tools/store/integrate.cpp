#include "store/integrate.h"

#include "mep/dispatch.h"
#include "mep/edit.h"
#include "mep/header.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace kopt {

namespace {

struct Place {   // of one dispatch
  fs::path file; // the source, or a header that it includes
  long offset = 0, length = 0;
  AnchoredEdit edit;
  std::string kernel;
  std::vector<TemplateArgument> instantiation;
};

// Whether two variants would stand in each other's way: instantiations of one template do not.
bool same_place(const Place &a, const Place &b) {
  if (a.file != b.file || a.offset != b.offset) return false;
  return a.instantiation.empty() || b.instantiation.empty() || Json(a.instantiation) == Json(b.instantiation);
}

// In the form of a compiler's warning, so that editors and build logs show it as one.
std::string warning(const std::string &kernel, const Error &error, const fs::path &source) {
  const std::string where = error.where.empty() ? source.string() + ":1" : error.where;
  return fmt::format("{}: warning: kopt builds the original of {}: {}{}{}", where, kernel, error.what,
                     error.remedy.empty() ? "" : "; ", error.remedy);
}

Result<AnchoredEdit> edit_of(const Entry &entry) {
  const fs::path folder = entry.path.parent_path();
  DispatchInput input = dispatch_input(entry.record);
  KOPT_TRY(plan, Plan::parse(entry.plan, (folder / entry.record.plan_file).string()));
  input.plan = std::move(plan);
  input.variant_text = entry.variant;
  input.variant_name = (folder / entry.record.variant_file).string();
  return dispatch_edit(input);
}

class Integration {
public:
  Integration(const Disk &disk, const IntegrateRequest &request) : disk_(disk), sources_(disk), request_(request) {
    add_input(request.source);
  }

  void add_input(const fs::path &path) {
    auto &inputs = result_.inputs;
    if (std::find(inputs.begin(), inputs.end(), path) == inputs.end()) inputs.push_back(path);
  }

  void warn(const std::string &kernel, const Error &error) {
    result_.warnings.push_back(warning(kernel, error, request_.source));
  }

  void add(const Entry &entry) {
    for (const Piece &piece : entry.record.pieces) add_input(absolute_path(piece.file, request_.directory));
    auto place = place_of(entry);
    if (place && std::any_of(places_.begin(), places_.end(), [&](const Place &other) { return same_place(other, *place); }))
      place = fail("two records are about this kernel", entry.path.string(), "remove one of their folders");
    if (place)
      places_.push_back(std::move(*place));
    else
      warn(entry.record.kernel, place.error());
  }

  Result<IntegratedSource> finish() {
    const std::string *original = sources_.text(request_.source);
    if (!original)
      return fail("cannot read the source", request_.source.string(), "restore the file, or take it out of the target");
    std::stable_sort(places_.begin(), places_.end(), [](const Place &a, const Place &b) { return a.offset < b.offset; });
    Edits edits = edits_in(request_.source.lexically_normal());
    std::set<fs::path> headers;
    for (const Place &place : places_)
      if (place.file != request_.source.lexically_normal()) headers.insert(place.file);
    for (const fs::path &header : headers) put_in(header, *original, edits);
    for (const Place &place : places_)
      if (!dropped_.contains(place.file)) result_.kernels.push_back(place.kernel);
    const std::string file = request_.source.string();
    const std::string head = "// Made by `kopt integrate` from " + file + ": edit that file, not this one.\n";
    result_.text = head + (edits.empty() ? "" : dispatch_prelude()) + edits.apply(*original, file);
    return std::move(result_);
  }

private:
  Result<Place> place_of(const Entry &entry) {
    const Record &record = entry.record;
    const auto is_it = [&](const std::string &recorded) {
      return absolute_path(recorded, request_.directory) == request_.source.lexically_normal();
    };
    if (std::none_of(record.sources.begin(), record.sources.end(), is_it))
      return fail(fmt::format("its record is about {}, not about {}", absolute_path(record.source, request_.directory).string(),
                              request_.source.string()),
                  entry.path.string(), "run `ninja kopt-tune`, or remove the record's folder");
    KOPT_TRY(offset, check_fresh(sources_, record, request_.directory));
    KOPT_TRY(edit, edit_of(entry));
    return Place{file_of_anchor(record, request_.directory),
                 offset,
                 static_cast<long>(record.anchor.text.size()),
                 std::move(edit),
                 record.kernel,
                 record.template_arguments};
  }

  [[nodiscard]] Edits edits_in(const fs::path &file) const {
    Edits edits;
    for (const Place &place : places_)
      if (place.file == file) edits.add(place.offset, place.length, place.edit);
    return edits;
  }

  // The header with its edits in the place of its #include.
  void put_in(const fs::path &header, const std::string &original, Edits &edits) {
    const std::string *text = sources_.text(header); // was read for freshness
    auto done = text ? put_in_header(disk_, original, request_.source, header, *text, edits_in(header), edits)
                     : fail("cannot read the header", header.string(), "restore the file");
    if (done) return;
    dropped_.insert(header);
    for (const Place &place : places_)
      if (place.file == header) warn(place.kernel, done.error());
  }

  const Disk &disk_;
  Sources sources_;
  const IntegrateRequest &request_;
  IntegratedSource result_;
  std::vector<Place> places_;
  std::set<fs::path> dropped_; // headers that the source does not include itself
};

// The name of the kernel in a record that cannot be used: the folder of its slug.
std::string kernel_of(const fs::path &record) { return record.parent_path().parent_path().filename().string(); }

} // namespace

Result<IntegratedSource> integrate(const Disk &disk, const IntegrateRequest &request) {
  Integration integration(disk, request);
  for (const fs::path &record : request.records) {
    integration.add_input(record);
    const auto entry = load(disk, record);
    integration.add_input(record.parent_path() / (entry ? entry->record.variant_file : "variant.cpp"));
    integration.add_input(record.parent_path() / (entry ? entry->record.plan_file : "plan.txt"));
    if (entry)
      integration.add(*entry);
    else
      integration.warn(kernel_of(record), entry.error());
  }
  return integration.finish();
}

Result<IntegratedSource> integrate(const Disk &disk, const std::vector<Entry> &entries, const IntegrateRequest &request) {
  Integration integration(disk, request);
  for (const Entry &entry : entries) integration.add(entry);
  return integration.finish();
}

std::string depfile(const fs::path &output, const std::vector<fs::path> &inputs) {
  const auto escaped = [](const fs::path &path) {
    std::string text;
    for (char c : path.string()) {
      if (c == ' ' || c == '#') text += '\\';
      if (c == '$') text += '$';
      text += c;
    }
    return text;
  };
  std::string text = escaped(output) + ":";
  for (const fs::path &input : inputs) text += " \\\n  " + escaped(input);
  return text + "\n";
}

} // namespace kopt
