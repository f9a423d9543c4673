#pragma once

#include <optional>
#include <string>

#include "sim_harness/base/json/json.hpp"
#include "sim_harness/data/prices/price_list.hpp"
#include "sim_harness/experiments/results/csv_sink.hpp"
#include "sim_harness/provider/run/run_result.hpp"

namespace cospot {

/// What people should know of a run's revenue beside the numbers.
struct RevenueWords {
  VcpusUnit unit{};                        ///< what one of the vcpus is
  std::optional<VcpuHourPrices> prices{};  ///< of vcpus as the workload has them
  double window_days = 14;
};

/// The counts, revenue and times of one run as a table for people. Allocation times of 0 count as
/// not measured.
[[nodiscard]] std::string run_result_text(const RunResult& result, Timing timing,
                                          const RevenueWords& words = {});

/// Money of a run as JSON.
[[nodiscard]] Json run_money_json(const RunResult& result, const VcpuHourPrices& prices,
                                  double window_days);

}  // namespace cospot
