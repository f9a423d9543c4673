#pragma once

#include <string>

#include "sim_harness/results/csv_sink.hpp"
#include "sim_harness/results/results_database.hpp"

namespace cospot {

// What can be said of the results of any study: how many runs there are, and the mean and the
// extremes of every measure. Text values and details are left aside.

[[nodiscard]] std::string measures_text(ResultsDatabase& results, Timing timing);

/// Keys: study, runs, expected_runs, measures: {NAME: {unit, runs, mean, min, max}}.
[[nodiscard]] std::string measures_json(ResultsDatabase& results, Timing timing);

/// `8 runs`, and how many are missing, as a line.
[[nodiscard]] std::string runs_line(std::size_t runs, std::size_t expected_runs);

}  // namespace cospot
