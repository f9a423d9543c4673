#pragma once

#include <cstdint>
#include <vector>

#include "sim_harness/customer/deadline/deadline_run.hpp"

namespace cospot {

/// Consecutive ticks that all have a spot, or all lack one.
struct Stretch {
  std::int64_t begin = 0;
  std::int64_t ticks = 0;
  bool spot = false;
};

[[nodiscard]] inline std::vector<Stretch> stretches_of(const std::vector<bool>& spot) {
  std::vector<Stretch> stretches;
  for (std::size_t i = 0; i < spot.size(); ++i) {
    if (stretches.empty() || stretches.back().spot != spot[i]) {
      stretches.push_back({.begin = static_cast<std::int64_t>(i), .ticks = 0, .spot = spot[i]});
    }
    ++stretches.back().ticks;
  }
  return stretches;
}

/// True if spots alone cannot finish the work, so that every plan that meets the deadline needs
/// on-demand ticks.
[[nodiscard]] bool needs_on_demand(const DeadlineCase& run);

/// The cheapest plan for a case that needs on-demand. Exact. Expects that spots are cheaper than
/// on-demand and that on-demand alone can meet the deadline.
///
/// In an optimal plan with on-demand ticks, every spot interval fills its stretch: otherwise an
/// on-demand tick could become a spot tick. A plan with n starts needs T(n) = ceil((work + n
/// overheads) / tick) ticks, spot or on-demand. With S spot ticks it costs
///
///     on-demand price x T(n) - (on-demand price - spot price) x S,
///
/// wherever its on-demand ticks are. So a plan only has to say which stretches run on spots, which
/// on-demand, and which are idle. It is feasible if the ticks of the first two add up to at least
/// T(n); surplus on-demand ticks are left out. There are few labels (S, n, possible work), because
/// on-demand capacity beyond the required work costs nothing. Labels are dropped if another one
/// dominates them or if Lagrangian relaxation (a price on work) shows that they cost more than a
/// known plan.
[[nodiscard]] std::vector<Capacity> mixed_optimum(const DeadlineCase& run);

}  // namespace cospot
