#include "evaluate/bench.h"

#include "evaluate/lockdown.h"

#include <cstring>
#include <fmt/format.h>
#include <sys/random.h>

namespace kopt {

using protocol::Object;
using protocol::Record;
using protocol::Request;
using protocol::Status;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;

namespace {

constexpr auto loading_patience = std::chrono::seconds(20);

std::string fault_text(const Record &record) {
  const char *name = strsignal(record.signal);
  if (record.flags & protocol::fault_stack) return "stack overflow";
  if (record.flags & protocol::fault_outside) return fmt::format("{} at address {:#x}", name, record.address);
  return name;
}

Incident incident(Incident::Kind kind, Object object, std::string text) { return {kind, object, std::move(text)}; }

} // namespace

std::uint64_t secret_number() {
  std::uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number)
    number = static_cast<std::uint64_t>(steady_clock::now().time_since_epoch().count());
  return number;
}

tl::expected<Bench, Incident> Bench::start(const Launcher &launcher, const Arena &arena, const std::string &baseline,
                                           const std::string &candidate) {
  Result<Child> child = Child::start(launcher.words, arena.file());
  if (!child) return tl::make_unexpected(incident(Incident::Kind::Loading, Object::Baseline, child.error().message()));
  Bench bench(std::move(*child), arena);
  protocol::Setup setup{baseline, candidate, launcher.use_landlock, launcher.use_seccomp, 0, {}, launcher.threads};
  arena.describe(setup);
  const std::string text = protocol::encode(setup);
  const std::uint64_t size = text.size();
  Record ready;
  const bool sent = bench.child_.send(&size, sizeof size) && bench.child_.send(text.data(), text.size());
  const Child::Answer answer = sent ? bench.child_.receive(ready, loading_patience) : Child::Answer::Ended;
  const auto object = candidate.empty() ? Object::Baseline : Object::Candidate;
  if (answer == Child::Answer::Timeout)
    return tl::make_unexpected(incident(Incident::Kind::Timeout, object, "loading timed out"));
  if (answer == Child::Answer::Ended)
    return tl::make_unexpected(
        incident(Incident::Kind::Ended, object, "the process " + bench.child_.ending() + " while loading"));
  if (ready.status != Status::Ready) {
    Incident failed = bench.incident_of(ready, -1);
    failed.text += " while loading";
    return tl::make_unexpected(failed);
  }
  bench.landlock_version_ = static_cast<int>(ready.value);
  bench.has_seccomp_ = (ready.flags & 1) != 0;
  return bench;
}

tl::expected<Call, Incident> Bench::call(Object object, int window, nanoseconds patience, int rounding) {
  if (child_.has_unread())
    return tl::make_unexpected(incident(Incident::Kind::Forged, Object::Candidate, "sent records that nobody asked for"));
  const Request request{secret_number(), 0, object, static_cast<std::uint32_t>(window), rounding};
  return read_call(request, patience);
}

tl::expected<Call, Incident> Bench::read_call(const Request &request, nanoseconds patience) {
  const auto start = steady_clock::now();
  Record record;
  const Child::Answer answer = child_.send(&request, sizeof request) ? child_.receive(record, patience) : Child::Answer::Ended;
  const auto stop = steady_clock::now();
  if (answer == Child::Answer::Timeout) {
    child_.kill();
    const double seconds = std::chrono::duration<double>(patience).count();
    return tl::make_unexpected(
        incident(Incident::Kind::Timeout, request.object, fmt::format("timed out after {:.1f} s", seconds)));
  }
  if (answer == Child::Answer::Ended)
    return tl::make_unexpected(
        incident(Incident::Kind::Ended, request.object, "the process " + child_.ending() + " during a call"));
  if (record.nonce != request.nonce)
    return tl::make_unexpected(incident(Incident::Kind::Forged, Object::Candidate, "sent records that nobody asked for"));
  if (record.status != Status::Done || record.flags != 0)
    return tl::make_unexpected(incident_of(record, static_cast<int>(request.window)));
  Call call{static_cast<double>(record.value), std::chrono::duration<double, std::nano>(stop - start).count(),
            record.taken > 0};
  if (call.claimed_ns > call.wall_ns + 1000)
    return tl::make_unexpected(
        incident(Incident::Kind::Forged, Object::Candidate,
                 fmt::format("claimed {:.0f} ns for a call that took {:.0f} ns in all", call.claimed_ns, call.wall_ns)));
  return call;
}

Incident Bench::incident_of(const Record &record, int window) const {
  const auto object = static_cast<Object>(record.object);
  switch (record.status) {
  case Status::SystemCall:
    return {Incident::Kind::SystemCall, object,
            "made the forbidden system call " + lockdown::system_call_name(static_cast<int>(record.value))};
  case Status::Exception: {
    const std::string what(record.text, strnlen(record.text, sizeof record.text));
    return {Incident::Kind::Exception, object, what.empty() ? "threw an exception" : "threw an exception: " + what};
  }
  case Status::Fault:
    if (window >= 0 && !(record.flags & protocol::fault_outside))
      if (const auto zone = arena_->guard_zone_at(window, record.address))
        return {Incident::Kind::GuardZone, object, (record.flags & protocol::fault_write ? "writes " : "reads ") + *zone};
    return {Incident::Kind::Crash, object, "crashed: " + fault_text(record)};
  case Status::Done:
    if (record.flags & protocol::changed_signals)
      return {Incident::Kind::Environment, object, "changed the handling of signals"};
    return {Incident::Kind::Environment, object, "left the floating-point environment changed"};
  case Status::Loading:
    return {Incident::Kind::Loading, object, std::string(record.text, strnlen(record.text, sizeof record.text))};
  case Status::Ready:
    break;
  }
  return {Incident::Kind::Forged, object, "sent records that nobody asked for"};
}

std::optional<Incident> Bench::finish() {
  Request request{secret_number(), 1, Object::Baseline, 0, 0};
  Record record;
  std::optional<Incident> found;
  const bool answered =
      child_.send(&request, sizeof request) && child_.receive(record, std::chrono::seconds(2)) == Child::Answer::Record;
  if (!answered || record.nonce != request.nonce || record.status != Status::Done || child_.has_unread())
    found = incident(Incident::Kind::Forged, Object::Candidate, "sent records that nobody asked for");
  child_.kill();
  return found;
}

} // namespace kopt
