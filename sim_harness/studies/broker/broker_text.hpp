#pragma once

#include <vector>

#include "sim_harness/experiments/summary/study_summary.hpp"
#include "sim_harness/studies/broker/setting_ranking.hpp"

namespace cospot {

/// Every setting of the study with its runs, ranked (setting_ranking.hpp).
[[nodiscard]] std::vector<RankedSetting> ranked_settings(ResultsDatabase& results);

/// The ranking as a table, with each setting's distance to the best: x / best - 1.
[[nodiscard]] StudySummary broker_summary(ResultsDatabase& results, Timing timing);

}  // namespace cospot
