#pragma once

#include <string>
#include <vector>

#include "sim_harness/results/csv_sink.hpp"
#include "sim_harness/results/results_database.hpp"
#include "sim_harness/studies/broker/setting_ranking.hpp"

namespace cospot {

/// Every setting of the study with its runs, ranked (setting_ranking.hpp).
[[nodiscard]] std::vector<RankedSetting> ranked_settings(ResultsDatabase& results);

/// The ranking as a table, with how much worse than the best each is: x / best - 1.
[[nodiscard]] std::string broker_text(ResultsDatabase& results, Timing timing);
[[nodiscard]] std::string broker_json(ResultsDatabase& results, Timing timing);

}  // namespace cospot
