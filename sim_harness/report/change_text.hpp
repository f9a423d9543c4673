#pragma once

#include "sim_harness/experiments/results/results_database.hpp"
#include "sim_harness/experiments/summary/study_summary.hpp"
#include "sim_harness/report/report_json.hpp"

namespace cospot {

/// Describes the change of the figures declared by `shows` between two databases of a study, over
/// the runs that both contain: those with the same value on every axis.
[[nodiscard]] SummaryText change_text(ResultsDatabase& before, ResultsDatabase& after,
                                      const ReportShows& shows);

}  // namespace cospot
