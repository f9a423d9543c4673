#pragma once

#include <string>

#include "sim_harness/results/csv_sink.hpp"
#include "sim_harness/results/results_database.hpp"

namespace cospot {

/// A line for each strategy: mean cost, its difference to Uniform Progress, how much of what could
/// be saved it saves, restarts, hours on spots, missed deadlines.
[[nodiscard]] std::string deadline_text(ResultsDatabase& results, Timing timing);

}  // namespace cospot
