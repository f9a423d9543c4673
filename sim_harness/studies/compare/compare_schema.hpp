#pragma once

#include <string>

#include "sim_harness/experiments/queue/experiment.hpp"
#include "sim_harness/experiments/results/column.hpp"
#include "sim_harness/studies/compare/result_row.hpp"

namespace cospot {

/// The columns of the study `compare` and its views (compare_views.hpp).
[[nodiscard]] const Schema& compare_schema();

/// The measures of a run in the schema's order.
[[nodiscard]] Measures compare_measures(const RunResult& result, const std::string& workload_sha256,
                                        std::uint64_t seed);

/// A run as its database has it.
[[nodiscard]] Row to_row(const ResultRow& row);

}  // namespace cospot
