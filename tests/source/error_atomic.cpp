// kopt-kernel: run
// kopt-error: parameter 'done' (std::atomic<int> &) cannot be recorded and replayed: std::atomic<int> is shared with other threads
#include <atomic>
void run(int n, double *x, std::atomic<int> &done) {
  for (int i = 0; i < n; ++i) x[i] = ++done;
}
