#pragma once

#include <vector>

#include "sim_harness/customer/deadline/deadline_run.hpp"

namespace cospot {

/// Whether spots alone can never do the work: so every plan that meets the deadline needs
/// on-demand ticks.
[[nodiscard]] bool needs_on_demand(const DeadlineCase& run);

/// The cheapest plan of a case that needs on-demand. Exact. Expects a spot that is cheaper than
/// on-demand, and a deadline that on-demand alone can meet.
///
/// Where on-demand is used, every spot interval takes all of its stretch, or else an on-demand tick
/// could become a spot tick. And n starts need T(n) = ceil((work + n overheads) / tick) ticks, be
/// they spot or on-demand: with S spot ticks a plan costs
///
///     on-demand price x T(n) - (on-demand price - spot price) x S,
///
/// wherever its on-demand ticks are. So a plan need only say which stretches run on spots, which
/// are for on-demand and which are idle; it can do the work if the ticks of both add up to T(n),
/// and of on-demand ticks those that are too many are left out. Its labels (S, n, work that could
/// be done) are few: what on-demand could do beyond what is needed costs nothing. Those that
/// another one dominates, or that Lagrange's relaxation (a price on work) shows to be dearer than
/// a plan that is known, are dropped.
[[nodiscard]] std::vector<Capacity> mixed_optimum(const DeadlineCase& run);

}  // namespace cospot
