#pragma once

#include <string>

#include "sim_harness/results/csv_sink.hpp"
#include "sim_harness/results/results_database.hpp"
#include "sim_harness/studies/study_money.hpp"

namespace cospot {

/// A table: conflicts and what was lost, for each combination of settings that differ, as means
/// over workloads and seeds.
[[nodiscard]] std::string schedulers_text(ResultsDatabase& results, Timing timing);

/// What the study declares.
[[nodiscard]] const StudyMoney& schedulers_money();

}  // namespace cospot
