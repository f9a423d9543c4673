#include "sweep_fixtures.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "sim_harness/studies/compare/compare_schema.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"
#include "sim_harness/studies/provider/provider_study.hpp"
#include "sim_harness/studies/study.hpp"

namespace cospot {

Sweep small_sweep() {
  Sweep sweep;
  sweep.workloads = {{.label = "a.csv", .file = "a.csv", .synthetic = {}},
                     {.label = "b", .file = {}, .synthetic = SyntheticSpec{.seed = 7}}};
  sweep.host = ResourceVector{.vcpus = 64, .memory_mb = 1024};
  sweep.sizes = {{.percent = 0}, {.percent = 2.5}};
  sweep.vm = {{.label = "COS", .weighers = {{.name = "COS"}}}};
  sweep.spot = {{.label = "sCOS", .weighers = {{.name = "sCOS"}}},
                {.label = "sDPD", .weighers = {{.name = "sDPD"}}}};
  sweep.evictors = {{"FIFO", "FIFO", {}}};
  sweep.saf = {false, true};
  sweep.otn = {1, 4};
  return sweep;
}

Sweep read_sweep(const std::filesystem::path& file, const std::vector<std::string>& overrides,
                 PolicyLoader& loader, const std::optional<SimTime>& window) {
  return read_sweep(read_study_file(file, overrides, window, loader));
}

Sweep read_sweep(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  NoPythonPolicies none;
  return read_sweep(file, overrides, none);
}

RunResult made_result(std::size_t run_index) {
  RunResult result;
  result.hosts = 100 + run_index;
  result.vm_requests = 1000;
  result.vm_rejected = run_index % 3;
  result.vm_too_large = 0;
  result.spot_requests = 500;
  result.spot_admitted = 400 - run_index;
  result.evictions = run_index * run_index;
  result.vm_revenue_requested = 5'000'000;
  result.vm_revenue = 5'000'000 - static_cast<Revenue>(run_index);
  result.spot_revenue_requested = 9'000'000;
  result.spot_revenue = 1'000'000 + static_cast<Revenue>(run_index) * 250'000;
  result.spot_revenue_first_hour_free = result.spot_revenue - 250'000;
  result.alloc_p50_ns = 10 + run_index;
  result.alloc_p99_ns = 20 + run_index;
  result.alloc_max_ns = 30 + run_index;
  result.spot_alloc_p50_ns = 40 + run_index;
  result.spot_alloc_p99_ns = 50 + run_index;
  result.spot_alloc_max_ns = 60 + run_index;
  result.wall_ms = 1.5 + static_cast<double>(run_index);
  return result;
}

ResultRow made_row(std::size_t run_index) {
  const Sweep sweep = small_sweep();
  const auto run = run_of_sweep(sweep, run_index);
  const RunResult result = made_result(run_index);
  return {.run_index = run_index,
          .workload = run.get(kWorkloadAxis).label,
          .headroom_percent = run.get(kSizeAxis).percent,
          .vm = run.get(kVmAxis).label,
          .spot = run.get(kSpotAxis).label,
          .evictor = run.get(kEvictorAxis).label,
          .saf = run.get(kSafAxis),
          .otn = run.get(kOtnAxis),
          .result = result,
          .workload_sha256 = small_sweep_workloads()[run.index(kWorkloadAxis)].sha256,
          .configuration = run_json(run, result.hosts),
          .version = "0.0.test",
          .seed = run.index(kWorkloadAxis) == 1 ? std::uint64_t{7} : 0};
}

std::vector<ResultRow> made_rows(std::size_t first, std::size_t count) {
  std::vector<ResultRow> rows;
  for (std::size_t i = 0; i < count; ++i) rows.push_back(made_row(first + i));
  return rows;
}

ExperimentTables tables_of_sweep(const Sweep& sweep) {
  const Grid grid = grid_of_sweep(sweep);
  return {.record = {.study = "compare",
                     .configuration = sweep_json(sweep),
                     .run_count = grid.run_count(),
                     .group_count = grid.group_count(),
                     .version = "0.0.test",
                     .created_by = "test"},
          .schema = compare_schema(),
          .axes = provider_table().axes(sweep)};
}

ExperimentTables small_sweep_tables() { return tables_of_sweep(small_sweep()); }

std::vector<Row> stored(std::span<const ResultRow> rows) {
  std::vector<Row> all;
  for (const ResultRow& row : rows) all.push_back(to_row(row));
  return all;
}

std::string csv_of(std::span<const ResultRow> rows, Timing timing) {
  return csv_text(compare_schema(), stored(rows), timing);
}

ResultsDatabase database_of(std::span<const ResultRow> rows, const ExperimentTables& tables) {
  return ResultsDatabase::in_memory(tables, small_sweep_workloads(), stored(rows));
}

ResultRow to_result_row(const Row& row) {
  const std::vector<Column> columns = compare_schema().columns();
  const auto value = [&](std::string_view name) -> const Value& {
    const auto found = std::ranges::find(columns, name, &Column::name);
    return row.values.at(static_cast<std::size_t>(found - columns.begin()));
  };
  const auto text = [&](std::string_view name) { return std::get<std::string>(value(name)); };
  const auto count = [&](std::string_view name) {
    return static_cast<std::uint64_t>(std::get<std::int64_t>(value(name)));
  };
  const auto revenue = [&](std::string_view name) { return std::get<Revenue>(value(name)); };
  const double* headroom = std::get_if<double>(&value("headroom_percent"));
  return {.run_index = row.run_index,
          .workload = text("workload"),
          .headroom_percent = headroom == nullptr ? std::nullopt : std::optional(*headroom),
          .vm = text("vm"),
          .spot = text("spot"),
          .evictor = text("evictor"),
          .saf = count("saf") != 0,
          .otn = OfferRule::parse(csv_value(columns.at(6), value("otn"))),
          .result = {.hosts = count("hosts"),
                     .vm_requests = count("vm_requests"),
                     .vm_rejected = count("vm_rejected"),
                     .vm_too_large = count("vm_too_large"),
                     .spot_requests = count("spot_requests"),
                     .spot_admitted = count("spot_admitted"),
                     .evictions = count("evictions"),
                     .vm_revenue_requested = revenue("vm_revenue_requested"),
                     .vm_revenue = revenue("vm_revenue"),
                     .spot_revenue_requested = revenue("spot_revenue_requested"),
                     .spot_revenue = revenue("spot_revenue"),
                     .spot_revenue_first_hour_free = revenue("spot_revenue_first_hour_free"),
                     .alloc_p50_ns = count("alloc_p50_ns"),
                     .alloc_p99_ns = count("alloc_p99_ns"),
                     .alloc_max_ns = count("alloc_max_ns"),
                     .spot_alloc_p50_ns = count("spot_alloc_p50_ns"),
                     .spot_alloc_p99_ns = count("spot_alloc_p99_ns"),
                     .spot_alloc_max_ns = count("spot_alloc_max_ns"),
                     .wall_ms = std::get<double>(value("wall_ms"))},
          .workload_sha256 = text("workload_sha256"),
          .configuration = row.configuration,
          .version = row.version,
          .seed = count("seed")};
}

std::vector<ResultRow> read_result_rows(ResultsDatabase& results) {
  std::vector<ResultRow> rows;
  results.for_each_row([&rows](const Row& row) { rows.push_back(to_result_row(row)); });
  return rows;
}

std::string csv_of_file(const std::filesystem::path& file, Timing timing) {
  ResultsDatabase results(file);
  return csv_text(results, timing);
}

std::vector<InputRecord> small_sweep_workloads() {
  return {{"a.csv", std::string(64, 'a'), "a.csv"}, {"b", std::string(64, 'b'), "b"}};
}

Grid grid_of_sweep(const Sweep& sweep) { return grid_of(provider_table().axes(sweep), 4); }

GridPoint<ProviderSettings> run_of_sweep(const Sweep& sweep, std::size_t run_index) {
  return provider_table().at(sweep, grid_of_sweep(sweep).coordinates(run_index));
}

std::string sweep_json(const Sweep& sweep) { return provider_table().json(sweep).dump(); }

Row to_row(const ResultRow& row) {
  Row values{
      .run_index = row.run_index,
      .values = {row.workload, row.headroom_percent ? Value(*row.headroom_percent) : Value(),
                 row.vm, row.spot, row.evictor, std::int64_t{row.saf}, axis_value(row.otn).value},
      .configuration = row.configuration,
      .version = row.version};
  for (Value& value : compare_measures(row.result, row.workload_sha256, row.seed)) {
    values.values.push_back(std::move(value));
  }
  return values;
}

Experiment made_comparison(RunGroupFunction run_group, const Sweep& sweep) {
  return {.schema = compare_schema(),
          .axes = provider_table().axes(sweep),
          .group_by = axis_names(kWorkloadAxis, kSizeAxis, kVmAxis, kSpotAxis),
          .configuration = sweep_json(sweep),
          .inputs = small_sweep_workloads(),
          .run_group = std::move(run_group),
          .run_configuration = [sweep](std::size_t run_index, const Measures& measures) {
            const auto hosts = static_cast<std::size_t>(std::get<std::int64_t>(measures[0]));
            return run_json(run_of_sweep(sweep, run_index), hosts);
          }};
}

Measures made_measures(std::size_t run_index) {
  const ResultRow row = made_row(run_index);
  return compare_measures(row.result, row.workload_sha256, row.seed);
}

RunGroupFunction made_runs(const std::function<void(std::size_t)>& before) {
  return [before](const RunGroup&, std::span<const std::size_t> pending, const RecordRun& record) {
    for (const std::size_t run : pending) {
      if (before) before(run);
      record(run, made_measures(run));
    }
  };
}

Experiment load_comparison(const Sweep& sweep) {
  ProviderStudySettings settings;
  static_cast<ProviderSettings&>(settings) = sweep;
  return load_provider_experiment(ProviderStudy(compare_preset(), {}), std::move(settings));
}

}  // namespace cospot
