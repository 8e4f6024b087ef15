// kopt-kernel: run
// kopt-error: run takes a variable number of arguments
void run(int n, ...) { (void)n; }
