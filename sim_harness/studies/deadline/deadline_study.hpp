#pragma once

#include "sim_harness/studies/study.hpp"

namespace cospot {

/// `deadline`: one job with a deadline, on spots with intermittent capacity. Axes: trace, strategy,
/// duration_hours, deadline_hours, overhead_hours, start_hours, spot_price, on_demand_price.
/// Source: Wu et al., "Can't Be Late", NSDI'24.
[[nodiscard]] Study deadline_study();

}  // namespace cospot
