#pragma once

#include "sim_harness/experiments/money/study_money.hpp"

namespace cospot {

/// The output of `cospot summary` for the study `sla`: for each pair of traces, number of hosts and
/// target, over all seeds, the admitted and evicted spots, the 95 % interval of the eviction
/// probability, and whether the promise was kept.
[[nodiscard]] StudySummary sla_summary(ResultsDatabase& results, Timing timing);

/// The first figures of its report.
[[nodiscard]] StudyFigures sla_figures();

/// The money columns, at prices per vCPU-hour.
[[nodiscard]] StudyMoney sla_money();

}  // namespace cospot
