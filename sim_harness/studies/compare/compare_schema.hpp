#pragma once

#include <string>

#include "sim_harness/experiments/queue/experiment.hpp"
#include "sim_harness/experiments/results/column.hpp"
#include "sim_harness/studies/provider/provider_study.hpp"

namespace cospot {

/// The short form `compare`, which asks for no part.
[[nodiscard]] const ProviderPreset& compare_preset();

/// Its columns and views (compare_views.hpp).
[[nodiscard]] const Schema& compare_schema();

/// The measures of a run in the schema's order.
[[nodiscard]] Measures compare_measures(const RunResult& result, const std::string& workload_sha256,
                                        std::uint64_t seed);

}  // namespace cospot
