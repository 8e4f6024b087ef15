#include "core/interruption.h"

#include <array>
#include <csignal>
#include <string_view>
#include <unistd.h>

namespace kopt {

namespace {

constexpr std::array<int, 3> signals = {SIGINT, SIGTERM, SIGHUP};

// A signal handler can reach nothing else.
volatile std::sig_atomic_t asked = 0; // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

void note(int signal) {
  asked = signal;
  constexpr std::string_view text = "\nkopt: ending after the step at hand; once more ends at once, and loses only this step\n";
  (void)!::write(STDERR_FILENO, text.data(), text.size());
}

} // namespace

SignalInterruption::SignalInterruption() {
  asked = 0;
  for (const int number : signals) {
    struct sigaction previous {};
    ::sigaction(number, nullptr, &previous);
    if (previous.sa_handler == SIG_IGN) continue; // started in the background, or under nohup: it is to go on
    struct sigaction action {};
    action.sa_handler = note;
    action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
    ::sigaction(number, &action, nullptr);
  }
}

SignalInterruption::~SignalInterruption() {
  for (const int number : signals) {
    struct sigaction current {};
    ::sigaction(number, nullptr, &current);
    if (current.sa_handler == note) ::signal(number, SIG_DFL);
  }
}

int SignalInterruption::signal() const { return asked; }

Result<void> check_interruption(const Interruption *interruption) {
  if (interruption == nullptr || interruption->signal() == 0) return {};
  return fail("interrupted", {}, "run the same command again: it goes on from here");
}

} // namespace kopt
