// A static member function of a class in a class, which uses types of both by their full names.
// kopt-kernel: Mesh::Ops::run
// kopt-leaves: n x
struct Mesh { // +
  typedef double real; // +
  struct Ops { // +
    enum { step = 2 }; // +
    static void run(int n, real *x);
  };
};
void Mesh::Ops::run(int n, real *x) { // +
  for (int i = 0; i < n; i += Mesh::Ops::step) x[i] *= Mesh::real(2);
}
