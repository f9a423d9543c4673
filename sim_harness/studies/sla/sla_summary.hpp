#pragma once

#include <string>

#include "sim_harness/results/csv_sink.hpp"
#include "sim_harness/results/results_database.hpp"
#include "sim_harness/studies/study_money.hpp"

namespace cospot {

/// What `cospot summary` prints of the study `sla`: for each pair of traces, number of hosts and
/// target, over all seeds, how many were admitted and evicted, with the 95 % interval of the
/// eviction probability, and whether the promise was kept.
[[nodiscard]] std::string sla_summary_text(ResultsDatabase& results, Timing timing);
[[nodiscard]] std::string sla_summary_json(ResultsDatabase& results, Timing timing);

/// What runs are worth at prices of a vCPU-hour.
[[nodiscard]] const StudyMoney& sla_money();

}  // namespace cospot
