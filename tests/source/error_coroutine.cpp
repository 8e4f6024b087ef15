// kopt-kernel: run
// kopt-error: kernel.cpp:13: run is a coroutine, which cannot be a kernel; put the loops into an ordinary function
#include <coroutine>
struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};
Task run(int n, double *x) {
  for (int i = 0; i < n; ++i) x[i] = i;
  co_return;
}
