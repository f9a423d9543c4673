#pragma once

#include "sim_harness/advise/plan.hpp"

namespace cospot {

/// Decides by the alternatives' results in the judged parts; sets `best_single`, `gain`, `advice`,
/// `advised`, `next_best` and `lead`.
///
/// Dividing binds a provider for as long as its promises run, so it is recommended only if its lead
/// over the best single alternative has an interval above 0.
void advise(PlanFindings& findings);

/// The gain of one alternative over another, paired by part.
[[nodiscard]] MeanInterval gain_over(std::vector<double> net, std::span<const double> other);

}  // namespace cospot
