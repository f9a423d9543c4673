#pragma once

#include <optional>
#include <string>

#include "sim_harness/prices/workload_prices.hpp"
#include "sim_harness/results/results_database.hpp"

namespace cospot {

/// Everything the report of a comparison shows, as one compact JSON text (docs/report.md describes
/// it): the axes of the sweep with what each value is in a sweep file, and one column per quantity,
/// read from the database's views. The same results give the same text.
///
/// Prices, where there are some, only say what is shown beside shares.
///
/// Errors: DatabaseError when a row is not where the sweep has it. There must be a run.
[[nodiscard]] std::string report_json(ResultsDatabase& results,
                                      const std::optional<WorkloadPrices>& prices = std::nullopt);

}  // namespace cospot
