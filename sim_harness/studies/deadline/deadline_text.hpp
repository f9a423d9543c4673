#pragma once

#include <string>

#include "sim_harness/results/csv_sink.hpp"
#include "sim_harness/results/results_database.hpp"

namespace cospot {

/// What to use and what it saves, with intervals; below it a line for each strategy: mean cost, its
/// difference to Uniform Progress, how much of what could be saved it saves, restarts, hours on
/// spots, missed deadlines. A strategy that is ever late saves nothing.
[[nodiscard]] std::string deadline_text(ResultsDatabase& results, Timing timing);
[[nodiscard]] std::string deadline_json(ResultsDatabase& results, Timing timing);

}  // namespace cospot
