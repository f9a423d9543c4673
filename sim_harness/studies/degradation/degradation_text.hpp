#pragma once

#include <string>

#include "sim_harness/results/csv_sink.hpp"
#include "sim_harness/results/results_database.hpp"
#include "sim_harness/studies/study_money.hpp"

namespace cospot {

/// VMs rejected, averaged over workloads and seeds: a line for each size and VM policy, a column
/// for each N.
[[nodiscard]] std::string degradation_text(ResultsDatabase& results, Timing timing);

/// What the study declares.
[[nodiscard]] const StudyMoney& degradation_money();

}  // namespace cospot
