#pragma once

#include <vector>

#include "sim_harness/customer/deadline/deadline_run.hpp"

namespace cospot {

/// What to run in each tick so that the job meets its deadline at the least cost, when the whole
/// trace is known beforehand. Exact. `spot_price` <= `on_demand_price`, or only on-demand is used.
/// Expects a deadline that on-demand alone can meet.
///
/// It is a shortest path with a resource (work) over the ticks, solved by dynamic programming over
/// labels (work done, cost). What keeps the labels few:
/// - Work that an interval of n ticks does is n ticks minus one overhead: also where this is
///   negative, because an interval that does no work is never worth its price.
/// - Ticks of one kind cost the same wherever they are. So an optimum that uses on-demand at all
///   can be made such that every spot interval takes all of its stretch of capacity (else an
///   on-demand tick could become a spot tick) and every on-demand interval all the time between two
///   spot intervals, but for one at most: of two others, ticks can be moved from one to the other
///   until one is gone (which saves an overhead) or full. Hence the labels live at the ends of the
///   trace's stretches, not at every tick. Without on-demand, the longest stretches are best.
/// - Lagrange's relaxation (a price on work, and several near it) bounds from below what a label
///   will cost in the end; those that cannot be better than the best plan known are dropped.
[[nodiscard]] std::vector<Capacity> offline_optimum(const DeadlineCase& run);

}  // namespace cospot
