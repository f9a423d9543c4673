#pragma once

#include "sim_harness/experiments/summary/study_summary.hpp"

namespace cospot {

/// What to use and what it saves, with intervals; below it a line for each strategy: mean cost, its
/// difference to Uniform Progress, how much of what could be saved it saves, restarts, hours on
/// spots, missed deadlines. A strategy that is ever late saves nothing.
[[nodiscard]] StudySummary deadline_summary(ResultsDatabase& results, Timing timing);

}  // namespace cospot
