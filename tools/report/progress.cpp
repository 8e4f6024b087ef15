#include "report/progress.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace kopt {

namespace {

std::size_t width_of(std::FILE *stream) {
  winsize size{};
  return ::ioctl(::fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

} // namespace

Progress::Progress(std::FILE *stream, bool terminal, std::string title, long total)
    : stream_(stream), terminal_(terminal), title_(std::move(title)), total_(total) {
  if (terminal_) draw("");
}

Progress::~Progress() { erase(); }

void Progress::step(const std::string &text) {
  ++done_;
  if (terminal_) return draw(text);
  const std::string count = total_ > 0 ? fmt::format("{}/{}", done_, total_) : fmt::format("{}", done_);
  fmt::print(stream_, "{} [{}] {}\n", title_, count, text);
  std::fflush(stream_);
}

void Progress::line(const std::string &text) {
  erase();
  fmt::print(stream_, "{}\n", text);
  std::fflush(stream_);
}

void Progress::draw(const std::string &text) {
  constexpr long cells = 20;
  std::string bar;
  if (total_ > 0) {
    const long filled = std::min(cells, done_ * cells / total_);
    bar = fmt::format("[{}{}] {}/{}", std::string(static_cast<std::size_t>(filled), '#'),
                      std::string(static_cast<std::size_t>(cells - filled), '.'), done_, total_);
  } else {
    bar = fmt::format("[{}]", done_);
  }
  std::string whole = fmt::format("{} {} {}", title_, bar, text);
  whole.resize(std::min(whole.size(), width_of(stream_) - 1));
  fmt::print(stream_, "\r\x1b[K{}", whole);
  std::fflush(stream_);
}

void Progress::erase() {
  if (!terminal_) return;
  fmt::print(stream_, "\r\x1b[K");
  std::fflush(stream_);
}

bool is_terminal(std::FILE *stream) {
  const char *kind = std::getenv("TERM");
  return ::isatty(::fileno(stream)) != 0 && kind != nullptr && std::strcmp(kind, "dumb") != 0;
}

} // namespace kopt
