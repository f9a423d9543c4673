#pragma once

#include "sim_harness/plan/plan.hpp"

namespace cospot {

/// Decides by what the alternatives came to in the judged parts: `best_single`, `gain`, `advice`,
/// `advised`, `next_best` and `lead`.
///
/// Dividing binds a provider for as long as it promises, so it is advised only if its lead over the
/// best single alternative has an interval above 0.
void advise(PlanFindings& findings);

/// What one earned more than another, paired by part.
[[nodiscard]] MeanInterval gain_over(std::vector<double> net, std::span<const double> other);

}  // namespace cospot
