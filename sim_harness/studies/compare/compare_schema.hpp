#pragma once

#include <string>
#include <vector>

#include "sim_harness/experiments/queue/experiment.hpp"
#include "sim_harness/experiments/results/column.hpp"
#include "sim_harness/experiments/results/measure.hpp"
#include "sim_harness/studies/provider/provider_study.hpp"

namespace cospot {

/// The preset `compare`, which requests no part.
[[nodiscard]] const ProviderPreset& compare_preset();

/// The columns and views of `compare`.
[[nodiscard]] const Schema& compare_schema();

/// The measures of a run alone, without those of its workload.
[[nodiscard]] const std::vector<Measure<RunResult>>& compared_run_measures();

/// The measures of a run in the schema's order.
[[nodiscard]] Measures compare_measures(const RunResult& result, const std::string& workload_sha256,
                                        std::uint64_t seed);

}  // namespace cospot
