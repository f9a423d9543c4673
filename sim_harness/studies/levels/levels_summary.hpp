#pragma once

#include <string>

#include "sim_harness/results/csv_sink.hpp"
#include "sim_harness/results/results_database.hpp"
#include "sim_harness/studies/study_money.hpp"

namespace cospot {

/// What `cospot summary` prints of the study `levels`: for each combination of settings the means
/// over the workloads, each the mean of its seeds, with 95 % confidence intervals (Student's t over
/// the workloads; over the seeds when there is a single workload).
[[nodiscard]] std::string levels_summary_text(ResultsDatabase& results, Timing timing);
[[nodiscard]] std::string levels_summary_json(ResultsDatabase& results, Timing timing);

/// What the study declares.
[[nodiscard]] const StudyMoney& levels_money();

}  // namespace cospot
