#pragma once

#include "sim_harness/experiments/money/study_money.hpp"

namespace cospot {

/// The money columns of a comparison.
[[nodiscard]] StudyMoney compare_money();

/// The money of the best combinations without VM loss.
[[nodiscard]] StudySummary summarise_compared_money(ResultsDatabase& results,
                                                    const WorkloadPrices& prices);

}  // namespace cospot
