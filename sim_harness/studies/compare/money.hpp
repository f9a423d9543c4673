#pragma once

#include "sim_harness/experiments/money/study_money.hpp"

namespace cospot {

/// What a comparison declares.
[[nodiscard]] StudyMoney compare_money();

/// Of the best combinations without VM loss.
[[nodiscard]] StudySummary summarise_compared_money(ResultsDatabase& results,
                                                    const WorkloadPrices& prices);

}  // namespace cospot
