// Overloads chosen by enable_if, by void_t, by tag dispatch, and by the shape of a template template argument.
// kopt-kernel: run
#include <type_traits> // +
template <typename T, typename = void> struct has_size : std::false_type {}; // +
template <typename T> struct has_size<T, std::void_t<decltype(T::size)>> : std::true_type {}; // +
struct Sized { static constexpr int size = 3; }; // +
struct Plain {}; // +
template <typename T, std::enable_if_t<has_size<T>::value, int> = 0> double size_of(const T &) { return T::size; } // +
template <typename T, std::enable_if_t<!has_size<T>::value, int> = 0> double size_of(const T &) { return 1; } // +
template <typename T> double dispatch(const T &t, std::true_type) { return size_of(t); } // +
template <typename T> double dispatch(const T &, std::false_type) { return -1; } // +
template <template <typename> class C, typename T> double inner(const C<T> &) { return sizeof(T); } // +
template <typename T> struct Wrap {}; // +
void run(int n, double *x) { // +
  for (int i = 0; i < n; ++i)
    x[i] = dispatch(Sized(), has_size<Sized>()) + dispatch(Plain(), has_size<Plain>()) + inner(Wrap<double>());
}
