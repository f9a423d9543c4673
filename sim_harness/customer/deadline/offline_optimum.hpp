#pragma once

#include <vector>

#include "sim_harness/customer/deadline/deadline_run.hpp"

namespace cospot {

/// The cheapest choice of capacity for each tick that meets the deadline, given the whole trace in
/// advance. Exact. If `spot_price` > `on_demand_price`, it uses on-demand only. Expects that
/// on-demand alone can meet the deadline.
///
/// This is a shortest path with a resource (work) over the ticks, solved by dynamic programming
/// over labels (work done, cost). Three facts keep the labels few:
/// - An interval of n ticks does n ticks minus one overhead of work. This may be taken as negative,
///   because an interval that does no work is never worth its price.
/// - Ticks of one kind cost the same everywhere. So there is an optimum with on-demand in which
///   every spot interval fills its stretch of capacity (otherwise an on-demand tick could become a
///   spot tick) and every on-demand interval but at most one fills the time between two spot
///   intervals: of two others, ticks can be moved from one to the other until one is gone (which
///   saves an overhead) or the other is full. Hence labels exist only at the ends of the trace's
///   stretches, not at every tick. Without on-demand, the longest stretches are best.
/// - Lagrangian relaxation (a price on work, and several near it) bounds the final cost of a label
///   from below; labels that cannot beat the best known plan are dropped.
[[nodiscard]] std::vector<Capacity> offline_optimum(const DeadlineCase& run);

/// The same where the ticks have prices of their own: labels (work done, cost) at every tick, as
/// none of the three facts but the first and the last holds.
[[nodiscard]] std::vector<Capacity> priced_optimum(const DeadlineCase& run);

}  // namespace cospot
