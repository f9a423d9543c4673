#pragma once

#include <optional>
#include <span>
#include <string>

#include "sim_harness/base/json/json.hpp"
#include "sim_harness/data/prices/price_list.hpp"
#include "sim_harness/experiments/results/csv_sink.hpp"
#include "sim_harness/provider/run/level_outcome.hpp"
#include "sim_harness/provider/run/run_result.hpp"

namespace cospot {

/// The inputs of the texts on a run's revenue besides the numbers.
struct RevenueWords {
  VcpusUnit unit{};                        ///< the unit of the vcpus
  std::optional<VcpuHourPrices> prices{};  ///< per unit of the workload's vcpus
  double window_days = 14;
};

/// The counts, revenue and times of one run as a text table with a column for each level.
/// Allocation times of 0 mean not measured.
[[nodiscard]] std::string run_result_text(std::span<const LevelOutcome> levels,
                                          const RunResult& result, Timing timing,
                                          const RevenueWords& words);

/// The money of a run as JSON. Requires prices.
[[nodiscard]] Json run_money_json(std::span<const LevelOutcome> levels, const RevenueWords& words);

}  // namespace cospot
