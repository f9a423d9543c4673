#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim_harness/results/csv_sink.hpp"
#include "sim_harness/results/results_database.hpp"
#include "sim_harness/studies/mean_interval.hpp"

namespace cospot {

/// One cell of the factorial: all runs that agree on everything but the seed.
struct BrokerCell {
  std::vector<std::string> labels{};  ///< of every axis but the seed
  std::size_t runs = 0;
  /// Over the seeds.
  MeanInterval cost{}, violations{}, cost_per_useful_job{};
};

/// By cost per useful job, the best first.
[[nodiscard]] std::vector<BrokerCell> rank_cells(ResultsDatabase& results);

/// The ranking as a table, with how much worse than the best each is: x / best - 1.
[[nodiscard]] std::string broker_text(ResultsDatabase& results, Timing timing);
[[nodiscard]] std::string broker_json(ResultsDatabase& results, Timing timing);

}  // namespace cospot
