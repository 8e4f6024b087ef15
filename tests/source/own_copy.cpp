// A class with a copy and a destructor of its own, passed by reference: only its numbers and pointers matter.
// kopt-kernel: smooth
// kopt-leaves: first last in.columns in.rows in.data out.columns out.rows out.data
#include <cstdlib> // +
#include <utility> // +
template <typename T> struct Field { // +
  unsigned long columns, rows;
  T *data;
  Field(unsigned long c, unsigned long r) : columns(c), rows(r), data(static_cast<T *>(std::malloc(c * r * sizeof(T)))) {}
  Field(Field &&other) noexcept : columns(other.columns), rows(other.rows), data(std::exchange(other.data, nullptr)) {}
  Field(const Field &other) : columns(other.columns), rows(other.rows), data(other.data) {}
  ~Field() { std::free(data); }
  T &operator()(unsigned long i, unsigned long j) const { return data[j + i * rows]; }
};
void smooth(int first, int last, Field<double> &in, Field<double> &out) { // +
  for (int j = first; j < last; ++j)
    for (int i = first; i < last; ++i) out(i, j) = 0.5 * (in(i, j) + in(i + 1, j));
}
