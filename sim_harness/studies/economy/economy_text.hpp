#pragma once

#include <string>

#include "sim_harness/results/csv_sink.hpp"
#include "sim_harness/results/results_database.hpp"

namespace cospot {

/// What each forecaster promises at each confidence, what became of it, and the profit ratio at
/// each price; a line for each usage series, forecaster and confidence.
[[nodiscard]] std::string economy_text(ResultsDatabase& results, Timing timing);

}  // namespace cospot
