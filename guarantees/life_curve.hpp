#pragma once

#include <span>
#include <vector>

#include "core/model/sim_time.hpp"

namespace cospot {

/// The ages between which a life curve knows how many survive: 0, then the end of every interval.
class AgeGrid {
 public:
  /// `ends` are the ends of consecutive intervals of age, ascending and positive; at least one.
  explicit AgeGrid(std::span<const SimTime> ends);

  [[nodiscard]] std::size_t intervals() const { return edges_.size() - 1; }
  /// In microseconds; edge 0 is 0.
  [[nodiscard]] double edge(std::size_t index) const { return edges_[index]; }
  /// The interval that holds `age` (microseconds): from its start to before its end. intervals()
  /// for ages at and after the last end.
  [[nodiscard]] std::size_t interval_of(double age) const;

 private:
  std::vector<double> edges_;
};

/// A life curve at one edge of its grid.
struct LifePoint {
  double survival = 1;  ///< share of all lives that reach this age
  double rest = 0;      ///< mean life after this age, to the last edge, of those that reach it (us)
};

/// Fills the curve of a life that ends in interval k with probability `hazards[k]`, once it has
/// reached the start of that interval. `points` has one element more than `hazards`, for the edges.
void fill_life_curve(const AgeGrid& grid, std::span<const double> hazards,
                     std::span<LifePoint> points);

/// The mean life after `age` of those that reach it, counting no life after the age `limit`;
/// from 0 to `limit - age`. All in microseconds.
///
/// Inside an interval lives end evenly (the survival is a straight line). After the last edge none
/// ends: nothing is known of so old spots, but that they are long-lived. Takes the two points
/// around each of the two ages, so the time does not depend on the number of intervals but for
/// finding them.
[[nodiscard]] double expected_rest(const AgeGrid& grid, std::span<const LifePoint> points,
                                   double age, double limit);

/// The same of an instance that was placed at `placed_at` and runs `now`, counting no life after
/// `until`, to the microsecond.
[[nodiscard]] SimTime remaining_life(const AgeGrid& grid, std::span<const LifePoint> points,
                                     SimTime placed_at, SimTime now, SimTime until);

/// The share of lives that reach `age` (microseconds).
[[nodiscard]] double survival_at(const AgeGrid& grid, std::span<const LifePoint> points,
                                 double age);

}  // namespace cospot
