#include "evaluate/team.h"

#include <cfenv>
#include <cstdlib>
#include <dlfcn.h>
#include <malloc.h>

namespace kopt {

const char *Team::start(int threads) {
  if (threads <= 1) return nullptr;
  threads_ = threads;
  rounding_ = fegetround();
  // Memory of all threads comes from one arena: further ones need system calls that the lockdown forbids.
  mallopt(M_ARENA_MAX, 1);
  setenv("OMP_NUM_THREADS", std::to_string(threads).c_str(), 1);
  setenv("OMP_DYNAMIC", "false", 1);
  void *runtime = dlopen("libgomp.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (!runtime) return "the OpenMP runtime libgomp.so.1 cannot be loaded: other runtimes than GCC's are not supported";
  parallel_ = reinterpret_cast<decltype(parallel_)>(dlsym(runtime, "GOMP_parallel"));
  if (!parallel_) return "the OpenMP runtime libgomp.so.1 has no GOMP_parallel";
  run([](void *) {}, nullptr);
  return nullptr;
}

void Team::set_rounding(int mode) {
  if (threads_ <= 1 || mode == rounding_) return;
  rounding_ = mode;
  run([](void *wanted) { fesetround(*static_cast<const int *>(wanted)); }, &mode);
}

void Team::run(void (*work)(void *), void *data) { parallel_(work, data, static_cast<unsigned>(threads_), 0); }

} // namespace kopt
