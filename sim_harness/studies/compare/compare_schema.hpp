#pragma once

#include <string>

#include "sim_harness/experiments/experiment.hpp"
#include "sim_harness/results/column.hpp"
#include "sim_harness/studies/compare/result_row.hpp"

namespace cospot {

/// The columns of the study `compare` and its views (compare_views.hpp).
[[nodiscard]] const Schema& compare_schema();

/// The measures of a run in the schema's order.
[[nodiscard]] Measures compare_measures(const RunResult& result, const std::string& workload_sha256,
                                        std::uint64_t seed);

// A run as its database has it, and back.
[[nodiscard]] Row to_row(const ResultRow& row);
[[nodiscard]] ResultRow to_result_row(const Row& row);

/// The axes of a comparison, read from its configuration (sweep_json).
///
/// Errors: ConfigError when it is none.
[[nodiscard]] std::vector<Axis> compare_axes(const std::string& configuration);

/// What a database of format 2 is in format 3 (ReadFormat2). Errors: ConfigError.
[[nodiscard]] ExperimentTables compare_from_format_2(ExperimentRecord record);

}  // namespace cospot
