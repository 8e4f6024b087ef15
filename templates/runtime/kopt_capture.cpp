// kopt_capture: records calls of kernels while the application runs. It is compiled, without any instrumentation, into the
// instrumented copy of the executable (C++11, no dependencies). The *probes* that `kopt probe` puts at the head of kernels call
// it with the kernel's *leaves*: its scalars, pointers and values in the order of the model.
//
//   KOPT_CAPTURE_DIR    folder for the recordings; unset: nothing is recorded
//   KOPT_CAPTURE_LIMIT  most bytes of contents in one recording, default 1 GiB
//   KOPT_CAPTURE_MOST   most groups of a kernel that are recorded, default 4
//   KOPT_CAPTURE_ONLY   calls to record, "1,100", instead of those chosen below
//
// Calls fall into *groups*: equal integers among the scalars and equal extents of what the pointers lead to. The time of each
// group is measured over the whole run; the groups that take most of the kernel's time are recorded, each by two calls: the
// first that is, and the latest whose number within the group is a power of two. While there are fewer than
// KOPT_CAPTURE_MOST, every new group is; afterwards one that took, or promises to take, more time than the lightest that is
// recorded, which gives way to it. One call is recorded at a time; others, nested or in other threads, are only timed. Of
// several processes, the first that calls a kernel records it.
//
// docs/formats.md, "Recordings", describes the files. A recording is renamed into place once its last line is written.

#include "kopt_capture_file.h"
#include "kopt_capture_kernel.h"

#include <memory>
#include <pthread.h>

// Shared with the prelude of instrumented sources (tools/mep/probe.cpp).
struct kopt_probe_site {
  const char *slug;
  void *state; // Kernel
};
struct kopt_probe_visit { // one call of a kernel, from its entry to its exit
  kopt_probe_site *site;
  const kopt_probe_leaf *leaves;
  int count;
  int on; // 0: not looked at, 1: being recorded, 2: only timed
  void *group;
  unsigned long long start;
};

namespace {

using namespace kopt_capture;

// Everything that outlives a call. Never destroyed: kernels may run until the very end of the process.
struct Recorder {
  Settings settings;
  std::vector<Kernel *> kernels;
  std::atomic_flag list = ATOMIC_FLAG_INIT; // guards kernels
  std::atomic<bool> recording{false};       // a call is being recorded; what follows is of the thread that set it
  std::unique_ptr<File> file;
  std::vector<Region> regions;
  std::vector<size_t> regions_of_leaves;
  unsigned long long call = 0;
};

void write_counts();

Recorder &recorder() {
  static Recorder *the = [] {
    std::atexit(write_counts);
    pthread_atfork(nullptr, nullptr, [] { recorder().settings.folder.clear(); }); // one process records
    return new Recorder;
  }();
  return *the;
}

// The recorded call runs the kernel by calling it again; that call is not one of the application's.
thread_local bool own_call = false;

std::string hex(const volatile void *data, unsigned long long size) {
  static const char digits[] = "0123456789abcdef";
  const volatile unsigned char *bytes = static_cast<const volatile unsigned char *>(data);
  std::string text;
  for (unsigned long long i = 0; i < size; ++i) {
    text += digits[bytes[i] >> 4];
    text += digits[bytes[i] & 15];
  }
  return text;
}

// ---- what is told about a kernel

bool write_text(const std::string &name, const std::string &text) {
  std::unique_ptr<File> file(new File(recorder().settings.folder + "/" + name));
  file->text(text);
  return file->keep();
}

void write_counts_of(const Kernel &kernel, bool exact) {
  std::string text = "calls " + std::to_string(kernel.calls) + (exact ? " exact\n" : " so far\n");
  text += "groups " + std::to_string(kernel.groups.size()) + "\n";
  text += "time " + std::to_string(kernel.nanoseconds.load()) + "\n";
  for (size_t i = 0; i < kernel.groups.size(); ++i) {
    const Group &group = *kernel.groups[i];
    if (group.first != 0)
      text += "slot " + std::to_string(i) + " " + std::to_string(group.calls.load()) + " " +
              std::to_string(group.nanoseconds.load()) + "\n";
  }
  write_text(kernel.slug + ".calls", text);
}

void write_counts() {
  if (recorder().settings.folder.empty()) return;
  for (const Kernel *kernel : recorder().kernels) write_counts_of(*kernel, true);
}

// Once for each kernel, also on stderr: the disk may be full.
void tell(Kernel &kernel, const std::string &what) {
  if (kernel.told.exchange(true)) return;
  std::fprintf(stderr, "kopt capture: %s: %s\n", kernel.slug.c_str(), what.c_str());
  write_text(kernel.slug + ".problem", what + "\n");
}

// ---- kernels and groups

// Whether this process is the one that records the kernel: the first that asks.
bool becomes_owner(const std::string &slug) {
  const std::string path = recorder().settings.folder + "/" + slug + ".owner";
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file >= 0) close(file);
  return file >= 0 || errno != EEXIST;
}

Kernel &kernel_of(kopt_probe_site *site) {
  if (void *known = __atomic_load_n(&site->state, __ATOMIC_ACQUIRE)) return *static_cast<Kernel *>(known);
  Lock lock(recorder().list);
  Kernel *kernel = nullptr;
  for (Kernel *other : recorder().kernels)
    if (other->slug == site->slug) kernel = other;
  if (kernel == nullptr) {
    kernel = new Kernel;
    kernel->slug = site->slug;
    kernel->table.assign(64, -1);
    kernel->objects.resize(256);
    if (becomes_owner(kernel->slug))
      recorder().kernels.push_back(kernel);
    else
      kernel->given_up = true;
  }
  __atomic_store_n(&site->state, kernel, __ATOMIC_RELEASE);
  return *kernel;
}

// ---- which calls are recorded

std::string recording_path(const Kernel &kernel, unsigned long long call) {
  return recorder().settings.folder + "/" + kernel.slug + "." + std::to_string(call) + ".raw";
}

void remove_recording(const Kernel &kernel, unsigned long long call) {
  if (call != 0) unlink(recording_path(kernel, call).c_str());
}

// Once a recording is complete: the one that it replaces goes, or itself where its group is not among the heaviest.
void note_recorded(Kernel &kernel, Group &group, unsigned long long call) {
  if (!recorder().settings.only.empty()) {
    group.first = call;
    return;
  }
  if (group.first != 0) {
    remove_recording(kernel, group.latest);
    group.latest = call;
    return;
  }
  if (kernel.kept == recorder().settings.most) {
    Group *least = lightest(kernel);
    if (least->nanoseconds >= group.nanoseconds) return remove_recording(kernel, call);
    remove_recording(kernel, least->first);
    remove_recording(kernel, least->latest);
    least->first = least->latest = 0;
    --kernel.kept;
  }
  group.first = call;
  ++kernel.kept;
}

// ---- the memory of a call

unsigned long long total_of(const std::vector<Region> &regions) {
  unsigned long long total = 0;
  for (const Region &region : regions) total += region.size();
  return total;
}

// The memory that the call needs. False, with `unknown` the leaf, where a pointer leads to memory that is not known.
bool find_regions(const kopt_probe_leaf *leaves, int count, bool narrow, const kopt_probe_leaf *&unknown) {
  std::vector<Region> &regions = recorder().regions;
  regions.clear();
  const std::vector<Mapping> all = mappings();
  for (int k = 0; k < count; ++k) {
    if (!(leaves[k].flags & kopt_leaf_pointer) || leaves[k].address == nullptr) continue;
    Region region = region_at(all, leaves[k], narrow);
    if (region.begin == nullptr) {
      unknown = &leaves[k];
      return false;
    }
    region.leaf = leaves[k].path;
    region.written = (leaves[k].flags & kopt_leaf_written) != 0 && region.size() != 0;
    add_region(regions, region);
  }
  return true;
}

std::string why_unknown(const kopt_probe_leaf &leaf) {
  const std::string what = std::string("the size of what '") + leaf.path + "' points to is not known: ";
  if (is_nobodys(target_of(leaf))) return what + "the memory is freed, or lies outside any object; give this kernel CASES";
  return what + "it is no heap allocation or mapping, its source is not instrumented, and the kernel does not tell how much it "
                "touches; allocate it on the heap, or give this kernel CASES";
}

std::string why_too_large() {
  const Recorder &the = recorder();
  const Region *largest = &the.regions.front();
  for (const Region &region : the.regions)
    if (region.size() > largest->size()) largest = &region;
  return "one call needs " + std::to_string(total_of(the.regions)) + " bytes, the limit is " +
         std::to_string(the.settings.limit) + "; the largest buffer, which '" + largest->leaf + "' points into, has " +
         std::to_string(largest->size()) + "; set KOPT_CAPTURE_LIMIT_MB to more, or make the RUN command's problem smaller";
}

bool find_memory(Kernel &kernel, Group &group, const kopt_probe_leaf *leaves, int count) {
  Recorder &the = recorder();
  const kopt_probe_leaf *unknown = nullptr;
  bool found = find_regions(leaves, count, false, unknown);
  if (found && total_of(the.regions) > the.settings.limit) found = find_regions(leaves, count, true, unknown);
  if (found && total_of(the.regions) <= the.settings.limit) return true;
  group.refused = true;
  tell(kernel, found ? why_too_large() : why_unknown(*unknown));
  return false;
}

// ---- writing

// The region that a pointer leads into; one past the end counts.
size_t region_of(const char *pointer) {
  const std::vector<Region> &regions = recorder().regions;
  for (size_t i = 0; i < regions.size(); ++i)
    if (regions[i].holds(pointer)) return i;
  const Region object = object_at(pointer);
  for (size_t i = 0; i < regions.size(); ++i)
    if (object.size() != 0 && regions[i].holds(object.begin)) return i;
  for (size_t i = 0; i < regions.size(); ++i)
    if (pointer == regions[i].end) return i;
  return regions.size();
}

void write_leaf(File &file, const kopt_probe_leaf &leaf) {
  if (!(leaf.flags & kopt_leaf_pointer)) {
    file.line("scalar " + hex(leaf.address, leaf.size) + " " + leaf.path);
    return;
  }
  if (leaf.address == nullptr) {
    file.line(std::string("null ") + leaf.path);
    return;
  }
  const size_t region = region_of(target_of(leaf));
  const long offset = target_of(leaf) - recorder().regions[region].begin;
  file.line("pointer " + std::to_string(region) + " " + std::to_string(offset) + " " + leaf.path);
}

void write_contents(File &file, const char *when, size_t index) {
  const Region &region = recorder().regions[index];
  file.line(std::string(when) + " " + std::to_string(index) + " " + std::to_string(region.size()));
  file.memory(region.begin, region.size());
  file.line("");
}

void write_entry(const Kernel &kernel, size_t group, const kopt_probe_leaf *leaves, int count) {
  Recorder &the = recorder();
  File &file = *the.file;
  file.line("kopt-capture 2");
  file.line("kernel " + kernel.slug);
  file.line("call " + std::to_string(the.call));
  file.line("slot " + std::to_string(group));
  for (int k = 0; k < count; ++k) write_leaf(file, leaves[k]);
  for (size_t i = 0; i < the.regions.size(); ++i) {
    file.line("memory " + std::to_string(i) + " " + the.regions[i].kind);
    write_contents(file, "before", i);
  }
}

void write_exit(const kopt_probe_visit &visit, unsigned long long time, const volatile void *result, unsigned long long size) {
  Recorder &the = recorder();
  File &file = *the.file;
  for (size_t i = 0; i < the.regions.size(); ++i)
    if (the.regions[i].written) write_contents(file, "after", i);
  for (int k = 0; k < visit.count; ++k) {
    const kopt_probe_leaf &leaf = visit.leaves[k];
    if ((leaf.flags & kopt_leaf_written) && !(leaf.flags & kopt_leaf_pointer))
      file.line("left " + hex(leaf.address, leaf.size) + " " + leaf.path);
  }
  if (result != nullptr) file.line("result " + hex(result, size));
  file.line("time " + std::to_string(time));
  const unsigned long long hash = file.hash();
  file.line("hash " + std::to_string(hash));
  file.line("complete");
}

void end_recording() {
  recorder().file.reset();
  own_call = false;
  recorder().recording = false;
}

void add_time(Kernel &kernel, Group &group, unsigned long long time) {
  group.nanoseconds += time;
  kernel.nanoseconds += time;
}

void give_up(Kernel &kernel) {
  kernel.given_up = true;
  tell(kernel, "call " + std::to_string(recorder().call) + " cannot be recorded: " + recorder().file->trouble());
}

// Opens the recording of a call; false, and all is as before, where that cannot be.
bool begin_recording(Kernel &kernel, size_t group, const kopt_probe_visit &visit) {
  Recorder &the = recorder();
  if (!find_memory(kernel, *static_cast<Group *>(visit.group), visit.leaves, visit.count)) return false;
  the.file.reset(new File(recording_path(kernel, the.call)));
  write_entry(kernel, group, visit.leaves, visit.count);
  if (!the.file->failed()) return true;
  give_up(kernel);
  return false;
}

} // namespace

// Counts the call and begins its time; where `on` becomes 1, the probe calls the kernel once more and then
// kopt_probe_leave(). At the end of every call whose `on` is not 0: kopt_probe_exit().
extern "C" void kopt_probe_enter(kopt_probe_visit *visit) {
  Recorder &the = recorder();
  visit->on = 0;
  if (the.settings.folder.empty()) return;
  if (own_call) {
    own_call = false;
    return;
  }
  Kernel &kernel = kernel_of(visit->site);
  size_t index = 0;
  bool wanted = false;
  {
    Lock lock(kernel.busy);
    const Key key = key_of(kernel, visit->leaves, visit->count);
    ++kernel.calls;
    index = group_of(kernel, key.hash);
    Group &group = *kernel.groups[index];
    ++group.calls;
    visit->group = &group;
    wanted = is_wanted(kernel, group, key.load, the.settings) && !the.recording.exchange(true);
    kernel.load += key.load;
    if (wanted) {
      the.call = kernel.calls;
      ++kernel.attempts;
    }
  }
  visit->on = 2;
  if (wanted && begin_recording(kernel, index, *visit)) {
    visit->on = 1;
    own_call = true;
  } else if (wanted) {
    end_recording();
  }
  visit->start = now();
}

extern "C" void kopt_probe_leave(kopt_probe_visit *visit, const volatile void *result, unsigned long long result_size) {
  const unsigned long long time = now() - visit->start;
  visit->on = 0;
  Recorder &the = recorder();
  Kernel &kernel = kernel_of(visit->site);
  Group &group = *static_cast<Group *>(visit->group);
  add_time(kernel, group, time);
  write_exit(*visit, time, result, result_size);
  if (the.file->keep()) {
    Lock lock(kernel.busy);
    note_recorded(kernel, group, the.call);
    write_counts_of(kernel, false);
  } else {
    give_up(kernel);
  }
  end_recording();
}

// A call that was only timed, or one that ended by an exception: then its recording is dropped.
extern "C" void kopt_probe_exit(kopt_probe_visit *visit) {
  add_time(kernel_of(visit->site), *static_cast<Group *>(visit->group), now() - visit->start);
  if (visit->on == 1) end_recording();
  visit->on = 0;
}
