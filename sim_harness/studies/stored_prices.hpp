#pragma once

#include <optional>

#include "sim_harness/data/prices/workload_prices.hpp"
#include "sim_harness/experiments/results/results_database.hpp"
#include "sim_harness/studies/study.hpp"

namespace cospot {

/// Errors: ConfigError when no money is put on the study, or none by flavor.
void require_prices_for(const StudyRegistry& studies, const PriceList& list, std::string_view study,
                        const std::string& where);

/// What a vCPU-hour costs in each workload of a study. Prices by flavor need its requests: a
/// file is looked for by its label in the current folder and beside the database, and must be the
/// one that the results are of.
///
/// Errors: ConfigError when no money is put on the study, a workload is not there or another one,
/// or a flavor has no price.
[[nodiscard]] WorkloadPrices prices_of_results(const StudyRegistry& studies, const PriceList& list,
                                               ResultsDatabase& results);

/// Keeps prices with the results, in the table `price`, in place of those that were kept before.
void keep_prices(ResultsDatabase& results, const WorkloadPrices& prices);
/// Nothing: none were kept.
[[nodiscard]] std::optional<WorkloadPrices> kept_prices(ResultsDatabase& results);

}  // namespace cospot
