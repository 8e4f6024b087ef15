// Clock: monotonic time for budgets and deadlines, calendar time for records.
#pragma once

#include <chrono>
#include <string>

namespace kopt {

class Clock {
public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual std::chrono::nanoseconds now() const = 0; // monotonic
  [[nodiscard]] virtual std::string utc() const = 0;              // 2026-11-30T22:40:00Z
};

class RealClock final : public Clock {
public:
  [[nodiscard]] std::chrono::nanoseconds now() const override;
  [[nodiscard]] std::string utc() const override;
};

class FakeClock final : public Clock {
public:
  std::chrono::nanoseconds time{0};
  std::string date = "2000-01-01T00:00:00Z";
  [[nodiscard]] std::chrono::nanoseconds now() const override { return time; }
  [[nodiscard]] std::string utc() const override { return date; }
};

} // namespace kopt
