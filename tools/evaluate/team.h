// Team: the threads of the OpenMP runtime in a child process. They are started before anything untrusted is loaded, so that the
// lockdown can forbid new threads as it does without OpenMP: what a candidate's parallel loops run on is the team, and nothing
// else.
#pragma once

#include <string>

namespace kopt {

class Team {
public:
  // Starts the runtime with this many threads; nothing for one. Returns nothing on success, else what failed.
  const char *start(int threads);
  // Sets the rounding mode of every thread, for the calls to come.
  void set_rounding(int mode);

private:
  void run(void (*work)(void *), void *data);

  int threads_ = 1;
  int rounding_ = 0;
  void (*parallel_)(void (*)(void *), void *, unsigned, unsigned) = nullptr; // GOMP_parallel
};

} // namespace kopt
