// kopt-kernel: run
// kopt-error: kernel.cpp:3: parameter 'port' (volatile int *) cannot be recorded and replayed: it is volatile, so others change it
void run(int n, volatile int *port) {
  for (int i = 0; i < n; ++i) *port = i;
}
