// Heat on a square plate, in two experiments:
//   decay: one sine mode between cold walls, heated by a source of the same shape; its amplitude is known exactly;
//   plate: a hot spot on an insulated plate of uneven conductivity; its heat stays and its maximum falls.
// Prints what it finds, checks it against the physics, and ends with "physics: ok" or exit code 1.
#include "heat.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

using heat::Boundary;
using heat::Field;
using heat::Grid;
using heat::idx;

struct Settings {
  int nx = 1025, ny = 1025; // points
  int steps = 100;          // time steps of each experiment
};

constexpr int kReportEvery = 5;
constexpr int kModeX = 7, kModeY = 5;
constexpr double kSourceStrength = 40.0;

bool check(bool holds, const char *claim) {
  std::printf("  %-48s %s\n", claim, holds ? "yes" : "NO");
  return holds;
}

void print_summary(int step, const heat::Summary &summary) {
  std::printf("  step %4d  heat %.8f  largest change %.6e  profile %.8f\n", step, summary.heat, summary.change,
              summary.profile_max);
}

Field sine_mode(const Grid &g, double amplitude) {
  Field u = heat::make_field(g);
  for (int j = 1; j < g.ny - 1; ++j) {
    for (int i = 1; i < g.nx - 1; ++i) {
      u[idx(g, i, j)] =
          amplitude * std::sin(kModeX * heat::kPi * heat::x_of(g, i)) * std::sin(kModeY * heat::kPi * heat::y_of(g, j));
    }
  }
  return u;
}

bool run_decay(const Settings &settings) {
  const Grid g = heat::make_grid(settings.nx, settings.ny, Boundary::Fixed);
  const double dt = heat::stable_step(g, heat::kDiffusivity);
  const Field source = sine_mode(g, kSourceStrength);
  Field u = sine_mode(g, 1.0);
  Field next = heat::make_field(g);
  std::printf("decay of mode (%d, %d) on %d x %d points, %d steps\n", kModeX, kModeY, g.nx, g.ny, settings.steps);
  for (int step = 1; step <= settings.steps; ++step) {
    heat::diffuse(g, u.data(), source.data(), next.data(), dt);
    u.swap(next);
    if (step % kReportEvery == 0) print_summary(step, heat::summarize(g, u.data(), next.data()));
  }

  const int stride = std::max(1, std::min(g.nx, g.ny) / 512);
  const int modes = (std::min(g.nx, g.ny) - 1) / stride - 1;
  const Field spectrum = heat::sine_spectrum(g, u, modes, stride);
  const double amplitude = spectrum[static_cast<std::size_t>((kModeX - 1) * modes + kModeY - 1)];
  double others = 0.0;
  for (double a : spectrum) others += SQUARE(a);
  others = std::sqrt(std::max(0.0, others - SQUARE(amplitude)));

  const double time = settings.steps * dt;
  const double rate = heat::kDiffusivity * SQUARE(heat::kPi) * (SQUARE(kModeX) + SQUARE(kModeY));
  const double steady = kSourceStrength / rate;
  const double expected = steady + (1.0 - steady) * std::exp(-rate * time);
  std::printf("  amplitude %.10f, analytic %.10f\n", amplitude, expected);
  const double scheme_error = SQUARE(kModeX * heat::kPi * g.dx) + SQUARE(kModeY * heat::kPi * g.dy) + rate * dt;
  const bool decays =
      check(std::fabs(amplitude - expected) < scheme_error * (1.0 - expected), "amplitude follows the analytic rate");
  const bool pure = check(others < 1e-6, "no other mode appears");
  return decays && pure;
}

// A conductivity between 0.5 and 1.5 from noise, smoothed: the same in every run.
Field uneven_conductivity(const Grid &g) {
  Field k = heat::make_field(g);
  std::uint32_t state = 12345;
  for (double &value : k) {
    state = state * 1664525U + 1013904223U;
    value = 0.5 + (state >> 8) / 16777216.0;
  }
  for (int sweep = 0; sweep < 10; ++sweep) heat::relax(g, k.data());
  return k;
}

// Conductivity of faces; faces on the walls stay at zero, so that no heat passes.
void make_faces(const Grid &g, const Field &k, Field &kx, Field &ky) {
  for (int j = 1; j < g.ny - 1; ++j) {
    for (int i = 1; i < g.nx - 1; ++i) {
      if (i + 1 < g.nx - 1) kx[idx(g, i, j)] = heat::face_conductivity(k[idx(g, i, j)], k[idx(g, i + 1, j)]);
      if (j + 1 < g.ny - 1) ky[idx(g, i, j)] = heat::face_conductivity(k[idx(g, i, j)], k[idx(g, i, j + 1)]);
    }
  }
}

Field hot_spot(const Grid &g) {
  Field u = heat::make_field(g);
  for (int j = 1; j < g.ny - 1; ++j) {
    for (int i = 1; i < g.nx - 1; ++i) {
      const double r2 = SQUARE(heat::x_of(g, i) - 0.4) + SQUARE(heat::y_of(g, j) - 0.55);
      u[idx(g, i, j)] = std::exp(-r2 / SQUARE(0.02));
    }
  }
  return u;
}

bool run_plate(const Settings &settings) {
  const Grid g = heat::make_grid(settings.nx, settings.ny, Boundary::Insulated);
  Field kx = heat::make_field(g), ky = heat::make_field(g);
  make_faces(g, uneven_conductivity(g), kx, ky);
  const double largest = std::max(*std::max_element(kx.begin(), kx.end()), *std::max_element(ky.begin(), ky.end()));
  const double dt = heat::stable_step(g, largest);
  Field u = hot_spot(g);
  Field next = heat::make_field(g);
  const double peak_before = *std::max_element(u.begin(), u.end());
  const double heat_before = heat::summarize(g, u.data(), u.data()).heat;
  std::printf("hot spot on an insulated plate of %d x %d cells, %d steps\n", g.nx - 2, g.ny - 2, settings.steps);
  for (int step = 1; step <= settings.steps; ++step) {
    heat::conduct(g, u.data(), kx.data(), ky.data(), next.data(), dt);
    u.swap(next);
    if (step % kReportEvery == 0) print_summary(step, heat::summarize(g, u.data(), next.data()));
  }

  const double peak = *std::max_element(u.begin(), u.end());
  const double heat_after = heat::summarize(g, u.data(), next.data()).heat;
  std::printf("  peak %.10f -> %.10f, heat %.10f -> %.10f\n", peak_before, peak, heat_before, heat_after);
  const bool kept = check(std::fabs(heat_after - heat_before) < 1e-11 * heat_before, "heat is conserved");
  const bool bounded = check(peak < peak_before && *std::min_element(u.begin(), u.end()) >= 0.0, "the maximum principle holds");
  return kept && bounded;
}

bool read_settings(int argc, char **argv, Settings &settings) {
  for (int i = 1; i < argc; i += 2) {
    int *target = nullptr;
    if (std::strcmp(argv[i], "--nx") == 0) target = &settings.nx;
    if (std::strcmp(argv[i], "--ny") == 0) target = &settings.ny;
    if (std::strcmp(argv[i], "--steps") == 0) target = &settings.steps;
    if (target == nullptr || i + 1 == argc) return false;
    *target = std::atoi(argv[i + 1]);
  }
  return settings.nx >= 64 && settings.ny >= 64 && settings.steps >= 1;
}

} // namespace

int main(int argc, char **argv) {
  Settings settings;
  if (!read_settings(argc, argv, settings)) {
    std::fprintf(stderr, "usage: heat [--nx POINTS] [--ny POINTS] [--steps STEPS]   (at least 64 points and one step)\n");
    return 2;
  }
  const auto start = std::chrono::steady_clock::now();
  const bool decay = run_decay(settings);
  const bool plate = run_plate(settings);
  std::fprintf(stderr, "elapsed %.2f s\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  std::printf("physics: %s\n", decay && plate ? "ok" : "WRONG");
  return decay && plate ? 0 : 1;
}
