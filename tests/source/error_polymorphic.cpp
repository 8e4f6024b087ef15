// kopt-kernel: run
// kopt-error: kernel.cpp:4: parameter 's' (const Shape &) cannot be recorded and replayed: Shape has virtual functions
struct Shape { virtual double area() const; double v; };
double run(int n, const Shape &s) { return n * s.area(); }
