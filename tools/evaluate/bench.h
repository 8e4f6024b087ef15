// Bench: a child process with an arena, ready to call a baseline and perhaps a candidate. Calls either return times or an
// incident. Incident: what went wrong in a child, in words a user can act on.
#pragma once

#include "evaluate/arena.h"
#include "evaluate/child.h"
#include "evaluate/protocol.h"

#include <cfenv>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace kopt {

// How a child is started: the words of `kopt runner`, and which parts of the lockdown to use (all, except in tests of machines
// that lack them).
struct Launcher {
  std::vector<std::string> words;
  bool use_landlock = true, use_seccomp = true;
  int threads = 1; // of a child: more only for those of the OpenMP runtime
};

struct Incident {
  enum class Kind {
    Loading,     // the object could not be loaded
    Crash,       // a signal
    GuardZone,   // a signal, at an address next to a buffer
    SystemCall,  // a call that the lockdown forbids
    Exception,   // the kernel threw
    Timeout,     // did not return; it was killed
    Ended,       // the process ended by itself
    Forged,      // a record that nobody asked for, or with a wrong nonce or an impossible time
    Environment, // left the processor or the process in another state
  };
  Kind kind = Kind::Crash;
  protocol::Object object = protocol::Object::Candidate; // which was loaded or running
  std::string text;
};

struct Call {
  double claimed_ns = 0; // as the child measured it
  double wall_ns = 0;    // from request to record, as the supervisor measured it
  bool variant_ran = false;

  [[nodiscard]] double overhead_ns() const { return wall_ns - claimed_ns; }
};

class Bench {
public:
  // `candidate` may be empty. The arena must outlive the bench.
  static tl::expected<Bench, Incident> start(const Launcher &launcher, const Arena &arena, const std::string &baseline,
                                             const std::string &candidate);

  // Calls once, on what the arena holds. After an incident the bench is of no more use.
  tl::expected<Call, Incident> call(protocol::Object object, int window, std::chrono::nanoseconds patience,
                                    int rounding = FE_TONEAREST);
  // Ends the child and looks for records that nobody asked for.
  std::optional<Incident> finish();

  // Threads of the child now; 0 if that cannot be told.
  [[nodiscard]] int threads() const { return child_.threads(); }
  [[nodiscard]] int landlock_version() const { return landlock_version_; }
  [[nodiscard]] bool has_seccomp() const { return has_seccomp_; }

private:
  Bench(Child child, const Arena &arena) : child_(std::move(child)), arena_(&arena) {}
  tl::expected<Call, Incident> read_call(const protocol::Request &request, std::chrono::nanoseconds patience);
  [[nodiscard]] Incident incident_of(const protocol::Record &record, int window) const;

  Child child_;
  const Arena *arena_;
  int landlock_version_ = 0;
  bool has_seccomp_ = false;
};

// A number nobody can foresee, from the kernel.
[[nodiscard]] std::uint64_t secret_number();

} // namespace kopt
