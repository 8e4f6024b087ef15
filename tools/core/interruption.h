// Interruption: a request to end, as Ctrl-C makes it, to be asked for between two steps of long work. What is at work then ends
// by itself, with everything it has found already kept.
#pragma once

#include "core/error.h"

namespace kopt {

class Interruption {
public:
  virtual ~Interruption() = default;
  // The signal that asked, 0 while nothing has.
  [[nodiscard]] virtual int signal() const = 0;
};

// Listens to SIGINT, SIGTERM and SIGHUP while it lives. The first only notes that somebody asked, and says so on stderr; the
// second ends the process at once. One at a time in a process.
class SignalInterruption final : public Interruption {
public:
  SignalInterruption();
  ~SignalInterruption() override;
  SignalInterruption(const SignalInterruption &) = delete;
  SignalInterruption &operator=(const SignalInterruption &) = delete;
  [[nodiscard]] int signal() const override;
};

// An Error if somebody asked to end. `interruption` may be null.
[[nodiscard]] Result<void> check_interruption(const Interruption *interruption);

} // namespace kopt
