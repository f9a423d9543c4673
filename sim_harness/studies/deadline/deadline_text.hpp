#pragma once

#include "sim_harness/experiments/summary/study_summary.hpp"

namespace cospot {

/// The recommended strategy and its saving, with intervals, then a line per strategy: mean cost,
/// its difference from Uniform Progress, its share of the possible saving, restarts, spot hours,
/// missed deadlines. A strategy that is ever late counts as saving nothing.
[[nodiscard]] StudySummary deadline_summary(ResultsDatabase& results, Timing timing);

}  // namespace cospot
