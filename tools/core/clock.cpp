#include "core/clock.h"

#include <ctime>

namespace kopt {

std::chrono::nanoseconds RealClock::now() const { return std::chrono::steady_clock::now().time_since_epoch(); }

std::string RealClock::utc() const {
  const std::time_t seconds = std::time(nullptr);
  std::tm fields{};
  gmtime_r(&seconds, &fields);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &fields);
  return text;
}

} // namespace kopt
