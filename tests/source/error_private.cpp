// kopt-kernel: run
// kopt-error: Counter::count_ is private
class Counter { public: int get() const { return count_; } private: int count_ = 0; };
int run(Counter c) { return c.get(); }
