// Thoroughness: how far a judgement goes. Quick ranks candidates: right on every case a proposer may see, a few timed rounds.
// Full decides: held-out cases too, two poisons, other contents, determinism, and timings that are narrow and hold on fresh
// samples. Untimed is what Full does for correctness and nothing else, so that what the machine does besides cannot change it.
#pragma once

namespace kopt {

enum class Thoroughness { Quick, Full, Untimed };

} // namespace kopt
