// Grid: a uniform mesh on the unit square. A field is one number per point, x running fastest.
#pragma once

#include <vector>

namespace heat {

// What happens at the walls: the temperature is held at zero there, or no heat passes.
enum class Boundary { Fixed, Insulated };

struct Grid {
  int nx = 0, ny = 0;
  double dx = 0, dy = 0;
  Boundary boundary = Boundary::Fixed;
};

using Field = std::vector<double>;

inline int idx(const Grid &g, int i, int j) { return j * g.nx + i; }

inline Field make_field(const Grid &g, double value = 0.0) { return Field(static_cast<std::size_t>(g.nx) * g.ny, value); }

// With fixed walls the outermost points lie on the walls; with insulated walls they are a layer of ghost points behind them.
inline Grid make_grid(int nx, int ny, Boundary boundary) {
  const int ghosts = boundary == Boundary::Insulated ? 1 : 0;
  return Grid{nx, ny, 1.0 / (nx - 1 - ghosts), 1.0 / (ny - 1 - ghosts), boundary};
}

// Position of a point; insulated grids have their points in the middle of cells.
inline double x_of(const Grid &g, int i) { return g.boundary == Boundary::Insulated ? (i - 0.5) * g.dx : i * g.dx; }
inline double y_of(const Grid &g, int j) { return g.boundary == Boundary::Insulated ? (j - 0.5) * g.dy : j * g.dy; }

} // namespace heat
