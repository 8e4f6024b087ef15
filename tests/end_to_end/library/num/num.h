#pragma once

namespace num {

struct View {
  double *data;
  int rows, columns;
};

extern double total;

void blend_all(View a, View b, double weight);
double norm_of(View a);
void accumulate(const double *x, int rows, int columns);

} // namespace num
