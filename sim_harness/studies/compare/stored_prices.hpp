#pragma once

#include "sim_harness/prices/workload_prices.hpp"
#include "sim_harness/results/results_database.hpp"

namespace cospot {

/// Errors: DatabaseError when the results are not those of a comparison, which money is put on.
void require_comparison(ResultsDatabase& results);

/// What a vCPU-hour costs in each workload of a comparison. Prices by flavor need its requests: a
/// file is looked for by its label in the current folder and beside the database, and must be the
/// one that the results are of.
///
/// Errors: DatabaseError as of require_comparison; ConfigError when a workload is not there or
/// another one, or a flavor has no price.
[[nodiscard]] WorkloadPrices prices_of_results(const PriceList& list, ResultsDatabase& results);

}  // namespace cospot
