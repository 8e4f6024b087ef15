// Runner: the program of the oracle and runner processes, reached by the hidden verb `kopt runner`. It loads the baseline and
// perhaps a candidate, and calls one of them each time the supervisor asks. What it says is a claim: verdicts never rest on it
// alone.
#pragma once

namespace kopt {

// Serves requests on the descriptors of protocol.h until told to stop. Returns the exit code of the process.
int run_runner();

} // namespace kopt
