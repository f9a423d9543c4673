#pragma once

#include <string>

#include "sim_harness/results/csv_sink.hpp"
#include "sim_harness/results/results_database.hpp"
#include "sim_harness/studies/study_money.hpp"

namespace cospot {

/// Means over the workloads of every combination of settings, and what life changes of them.
[[nodiscard]] std::string life_summary_text(ResultsDatabase& results, Timing timing);
[[nodiscard]] std::string life_summary_json(ResultsDatabase& results, Timing timing);

/// What the study declares.
[[nodiscard]] const StudyMoney& life_money();

}  // namespace cospot
