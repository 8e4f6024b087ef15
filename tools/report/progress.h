// Progress: what a person sees of long work: a bar that redraws itself on a terminal, plain lines anywhere else.
#pragma once

#include <cstdio>
#include <string>

namespace kopt {

class Progress {
public:
  // `total` steps; 0: not known. `stream` is stderr in the programs.
  Progress(std::FILE *stream, bool terminal, std::string title, long total);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  // One step done; `text` says what was found. On a terminal the bar shows it, elsewhere it is a line of its own.
  void step(const std::string &text);
  // A line that stays, in either case.
  void line(const std::string &text);

private:
  void draw(const std::string &text);
  void erase();

  std::FILE *stream_;
  bool terminal_;
  std::string title_;
  long total_, done_ = 0;
};

// True when the stream is a terminal and the user has not asked for plain output (TERM=dumb, NO_COLOR is about colour only).
[[nodiscard]] bool is_terminal(std::FILE *stream);

} // namespace kopt
