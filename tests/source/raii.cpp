// Objects with constructors, destructors and conversions that no expression names.
// kopt-kernel: run
// kopt-leaves: n x depth
static int depth = 0; // +
static void enter() { ++depth; } // +
static void leave() { --depth; } // +
struct Scope { // +
  Scope() { enter(); }
  ~Scope();
};
Scope::~Scope() { leave(); } // +
struct Member { // +
  double v;
  Member(double w);
  operator double() const;
};
Member::Member(double w) : v(w) {} // +
Member::operator double() const { return v; } // +
struct Holder { // +
  Member m = 2.0;
  Scope s;
};
struct Other { ~Other() {} }; // -
void run(int n, double *x) { // +
  const Holder holder;
  for (int i = 0; i < n; ++i) x[i] *= holder.m;
}
