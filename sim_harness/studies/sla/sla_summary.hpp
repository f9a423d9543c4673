#pragma once

#include "sim_harness/experiments/money/study_money.hpp"

namespace cospot {

/// What `cospot summary` says of the study `sla`: for each pair of traces, number of hosts and
/// target, over all seeds, how many were admitted and evicted, with the 95 % interval of the
/// eviction probability, and whether the promise was kept.
[[nodiscard]] StudySummary sla_summary(ResultsDatabase& results, Timing timing);

/// What its report shows first.
[[nodiscard]] StudyFigures sla_figures();

/// What runs are worth at prices of a vCPU-hour.
[[nodiscard]] StudyMoney sla_money();

}  // namespace cospot
