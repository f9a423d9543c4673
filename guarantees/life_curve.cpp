#include "guarantees/life_curve.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace cospot {
namespace {

/// Keeps quotients of survivals finite; no share of lives that matters is as small.
constexpr double kLeastSurvival = 1e-250;

LifePoint point_at(const AgeGrid& grid, std::span<const LifePoint> points, double age) {
  const std::size_t interval = grid.interval_of(age);
  if (interval == grid.intervals()) return {.survival = points.back().survival, .rest = 0};
  const LifePoint& before = points[interval];
  const LifePoint& after = points[interval + 1];
  const double width = grid.edge(interval + 1) - grid.edge(interval);
  const double left = grid.edge(interval + 1) - age;
  const double survival = after.survival + (before.survival - after.survival) * (left / width);
  // The area under a straight line, then what is left after the interval for those that reach it.
  const double area = left * (survival + after.survival) / 2;
  return {.survival = survival, .rest = (area + after.survival * after.rest) / survival};
}

}  // namespace

AgeGrid::AgeGrid(std::span<const SimTime> ends) : edges_{0} {
  for (const SimTime end : ends) edges_.push_back(static_cast<double>(end.count()));
}

std::size_t AgeGrid::interval_of(double age) const {
  const auto after = std::upper_bound(edges_.begin() + 1, edges_.end(), age);
  return static_cast<std::size_t>(after - edges_.begin()) - 1;
}

void fill_life_curve(const AgeGrid& grid, std::span<const double> hazards,
                     std::span<LifePoint> points) {
  points[0].survival = 1;
  for (std::size_t k = 0; k < hazards.size(); ++k) {
    points[k + 1].survival = std::max(points[k].survival * (1 - hazards[k]), kLeastSurvival);
  }
  // Backwards, so that nothing is a small difference of large sums.
  points[hazards.size()].rest = 0;
  for (std::size_t k = hazards.size(); k > 0; --k) {
    const double width = grid.edge(k) - grid.edge(k - 1);
    const double staying = points[k].survival / points[k - 1].survival;
    points[k - 1].rest = width * (1 + staying) / 2 + staying * points[k].rest;
  }
}

double expected_rest(const AgeGrid& grid, std::span<const LifePoint> points, double age,
                     double limit) {
  age = std::max(age, 0.0);
  if (limit <= age) return 0;
  const double last = grid.edge(grid.intervals());
  const LifePoint now = point_at(grid, points, age);
  double rest = now.rest;
  if (limit < last) {
    const LifePoint end = point_at(grid, points, limit);
    rest -= end.survival / now.survival * end.rest;
  } else {
    rest += (limit - std::max(age, last)) * (points.back().survival / now.survival);
  }
  return std::clamp(rest, 0.0, limit - age);
}

SimTime remaining_life(const AgeGrid& grid, std::span<const LifePoint> points, SimTime placed_at,
                       SimTime now, SimTime until) {
  const auto age = static_cast<double>((now - placed_at).count());
  const auto limit = static_cast<double>((until - placed_at).count());
  return SimTime(std::llround(expected_rest(grid, points, age, limit)));
}

double survival_at(const AgeGrid& grid, std::span<const LifePoint> points, double age) {
  return age <= 0 ? 1.0 : point_at(grid, points, age).survival;
}

}  // namespace cospot
