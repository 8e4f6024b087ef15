// Two-dimensional fields behind an access operator, walked across their rows; nothing says that rows are as long as the loops.
struct Field {
  unsigned long columns;
  double *data;
  double &operator()(unsigned long row, unsigned long column) const { return data[row * columns + column]; }
};

void fields(int rows, int columns, const Field &in, const Field &out) {
  for (int j = 0; j < columns; j++) {
    for (int i = 0; i < rows; i++) {
      double half = 0.5 * in(i, j);
      out(i, j) = half + out(i, j);
    }
  }
}
