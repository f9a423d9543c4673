#pragma once

#include <optional>

#include "sim_harness/data/prices/workload_prices.hpp"
#include "sim_harness/experiments/results/results_database.hpp"
#include "sim_harness/studies/study.hpp"

namespace cospot {

/// Errors: ConfigError if the study takes no prices, or none by flavor.
void require_prices_for(const StudyRegistry& studies, const PriceList& list, std::string_view study,
                        const std::string& where);

/// The price of a vCPU-hour in each workload of a study. Prices by flavor need its requests: a file
/// is searched by its label in the current folder and next to the database, and must be the one
/// used for the results.
///
/// Errors: ConfigError if the study takes no prices, a workload is missing or differs, or a flavor
/// has no price.
[[nodiscard]] WorkloadPrices prices_of_results(const StudyRegistry& studies, const PriceList& list,
                                               ResultsDatabase& results);

/// Stores prices with the results, in the table `price`, replacing earlier ones.
void keep_prices(ResultsDatabase& results, const WorkloadPrices& prices);
/// Nothing if none are stored.
[[nodiscard]] std::optional<WorkloadPrices> kept_prices(ResultsDatabase& results);

}  // namespace cospot
