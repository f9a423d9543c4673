#pragma once

#include <vector>

#include "sim_harness/customer/deadline/deadline_run.hpp"

namespace cospot {

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
