#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "error_text.hpp"
#include "sim_harness/experiments/results/csv_sink.hpp"
#include "sim_harness/experiments/results/results_database.hpp"
#include "sim_harness/studies/compare/compare.hpp"
#include "sim_harness/studies/compare/result_row.hpp"
#include "sim_harness/studies/compare/sweep.hpp"

namespace cospot {

/// 2 workloads x 2 headrooms x 1 VM x 2 spots x 1 evictor x 2 SAF x 2 OTN: 8 groups of 4 runs.
[[nodiscard]] Sweep small_sweep();

/// Numbers that differ from run to run and follow from the index alone.
[[nodiscard]] RunResult made_result(std::size_t run_index);

/// The row that a comparison stores for made_result.
[[nodiscard]] ResultRow made_row(std::size_t run_index);
[[nodiscard]] std::vector<ResultRow> made_rows(std::size_t first, std::size_t count);

/// What a database of it says of itself.
[[nodiscard]] ExperimentTables tables_of_sweep(const Sweep& sweep);
[[nodiscard]] ExperimentTables small_sweep_tables();
[[nodiscard]] std::vector<InputRecord> small_sweep_workloads();

/// The rows as a database keeps them, and as a CSV has them.
[[nodiscard]] std::vector<Row> stored(std::span<const ResultRow> rows);
[[nodiscard]] std::string csv_of(std::span<const ResultRow> rows, Timing timing);

/// A database in memory with these rows.
[[nodiscard]] ResultsDatabase database_of(std::span<const ResultRow> rows,
                                          const ExperimentTables& tables = small_sweep_tables());

/// A run of `compare` back from its values.
[[nodiscard]] ResultRow to_result_row(const Row& row);
[[nodiscard]] std::vector<ResultRow> read_result_rows(ResultsDatabase& results);

/// The CSV of a database's file.
[[nodiscard]] std::string csv_of_file(const std::filesystem::path& file, Timing timing);

/// Records made_result for every pending run.
[[nodiscard]] SweepRunner made_runner();

}  // namespace cospot
