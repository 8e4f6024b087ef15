#include "store/integrate.h"

#include "mep/dispatch.h"
#include "mep/edit.h"

#include <algorithm>
#include <fmt/format.h>

namespace kopt {

namespace {

struct Place { // of one dispatch in the original
  long offset = 0, length = 0;
  AnchoredEdit edit;
  std::string kernel;
};

// An editor can only be relied on to leave a byte order mark at the very start of a file; ours has other text there.
std::string without_byte_order_mark(const std::string &text) {
  static const std::string mark = "\xEF\xBB\xBF";
  return text.starts_with(mark) ? text.substr(mark.size()) : text;
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
  Integration(const Disk &disk, const IntegrateRequest &request) : sources_(disk), request_(request) {
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
    if (place && std::any_of(places_.begin(), places_.end(), [&](const Place &other) { return other.offset == place->offset; }))
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
    const std::string file = request_.source.string(), first_line = line_directive(1, file);
    // From the last to the first, so that what is ahead of each still has its original lines.
    std::sort(places_.begin(), places_.end(), [](const Place &a, const Place &b) { return a.offset > b.offset; });
    std::string text = *original;
    for (const Place &place : places_) {
      text = apply_edit(text, place.offset, place.length, file, place.edit).substr(first_line.size());
      result_.kernels.insert(result_.kernels.begin(), place.kernel);
    }
    const std::string head = "// Made by `kopt integrate` from " + file + ": edit that file, not this one.\n";
    result_.text = head + (places_.empty() ? "" : dispatch_prelude()) + first_line + without_byte_order_mark(std::move(text));
    return std::move(result_);
  }

private:
  Result<Place> place_of(const Entry &entry) {
    const fs::path about = absolute_path(entry.record.source, request_.directory);
    if (about != request_.source.lexically_normal())
      return fail(fmt::format("its record is about {}, not about {}", about.string(), request_.source.string()),
                  entry.path.string(), "run `ninja kopt-tune`, or remove the record's folder");
    KOPT_TRY(offset, check_fresh(sources_, entry.record, request_.directory));
    KOPT_TRY(edit, edit_of(entry));
    return Place{offset, static_cast<long>(entry.record.anchor.text.size()), std::move(edit), entry.record.kernel};
  }

  Sources sources_;
  const IntegrateRequest &request_;
  IntegratedSource result_;
  std::vector<Place> places_;
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
