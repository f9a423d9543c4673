#pragma once

#include "sim_harness/experiments/results/csv_sink.hpp"
#include "sim_harness/experiments/results/results_database.hpp"
#include "sim_harness/experiments/summary/study_summary.hpp"

namespace cospot {

/// The figures of a comparison of policies alone: the best allocator of each size.
[[nodiscard]] const StudyFigures& compare_figures();

/// Their summary, and what all runs lose and gain; docs/json.md describes its keys.
///
/// Gain: a run's spot revenue / that of its baseline - 1. The baseline is the run with the same
/// workload, headroom, VM policy, spot policy and evictor, OTN 1 and SAF off. VM loss: the share of
/// the requested VM revenue that was not earned. VMs larger than the host count as rejected; a run
/// is "without VM loss" if it rejects no other VM.
[[nodiscard]] StudySummary compare_summary(ResultsDatabase& results, Timing timing);

}  // namespace cospot
