#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/handshake/offer_rule.hpp"
#include "error_text.hpp"
#include "sim_harness/experiments/queue/experiment.hpp"
#include "sim_harness/experiments/results/csv_sink.hpp"
#include "sim_harness/experiments/results/results_database.hpp"
#include "sim_harness/provider/policies/policy_loader.hpp"
#include "sim_harness/provider/run/run_result.hpp"
#include "sim_harness/studies/compare/sweep_file.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"

namespace cospot {

using Sweep = ProviderSettings;

/// A run of a comparison: where it is in the grid, what came out, and what it takes to repeat it.
struct ResultRow {
  std::size_t run_index = 0;
  std::string workload;
  std::optional<double> headroom_percent;  ///< none where the sweep gives host counts
  std::string vm;
  std::string spot;
  std::string evictor;
  bool saf = false;
  OfferRule otn{};
  RunResult result;
  std::string workload_sha256;
  std::string configuration;
  std::string version;
  std::uint64_t seed = 0;
};

/// 2 workloads x 2 headrooms x 1 VM x 2 spots x 1 evictor x 2 SAF x 2 OTN: 8 groups of 4 runs.
[[nodiscard]] Sweep small_sweep();

/// Reads a sweep file and applies overrides, as `cospot compare` does.
[[nodiscard]] Sweep read_sweep(const std::filesystem::path& file,
                               const std::vector<std::string>& overrides, PolicyLoader& loader,
                               const std::optional<SimTime>& window = {});
/// The same without policies in Python.
[[nodiscard]] Sweep read_sweep(const std::filesystem::path& file,
                               const std::vector<std::string>& overrides);

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

/// The grid of a sweep, with the groups of a comparison; a run of it.
[[nodiscard]] Grid grid_of_sweep(const Sweep& sweep);
[[nodiscard]] GridPoint<ProviderSettings> run_of_sweep(const Sweep& sweep, std::size_t run_index);
[[nodiscard]] std::string sweep_json(const Sweep& sweep);
[[nodiscard]] Row to_row(const ResultRow& row);

/// What a comparison of `sweep` is, with runs that `run_group` makes up.
[[nodiscard]] Experiment made_comparison(RunGroupFunction run_group,
                                         const Sweep& sweep = small_sweep());
/// The measures of made_result.
[[nodiscard]] Measures made_measures(std::size_t run_index);
/// Records made_measures for every pending run, and does `before` with its index first.
[[nodiscard]] RunGroupFunction made_runs(const std::function<void(std::size_t)>& before = nullptr);
/// A comparison as its file gives it.
[[nodiscard]] Experiment load_comparison(const Sweep& sweep);

}  // namespace cospot
