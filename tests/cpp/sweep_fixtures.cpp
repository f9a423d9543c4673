#include "sweep_fixtures.hpp"

#include "sim_harness/sweeps/sweep_grid.hpp"
#include "sim_harness/sweeps/sweep_json.hpp"

namespace cospot {

Sweep small_sweep() {
  Sweep sweep;
  sweep.workloads = {{.label = "a.csv", .file = "a.csv", .synthetic = {}},
                     {.label = "b", .file = {}, .synthetic = SyntheticSpec{.seed = 7}}};
  sweep.host = {.vcpus = 64, .memory_mb = 1024};
  sweep.sizes = {{.percent = 0}, {.percent = 2.5}};
  sweep.vm = {{.label = "COS", .weighers = {{.name = "COS"}}}};
  sweep.spot = {{.label = "sCOS", .weighers = {{.name = "sCOS"}}},
                {.label = "sDPD", .weighers = {{.name = "sDPD"}}}};
  sweep.evictors = {{"FIFO", "FIFO", {}}};
  sweep.saf = {false, true};
  sweep.otn = {1, 4};
  return sweep;
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
  result.wall_ms = 1.5 + static_cast<double>(run_index);
  return result;
}

ResultRow made_row(std::size_t run_index) {
  const Sweep sweep = small_sweep();
  const RunCoordinates run = SweepGrid(sweep).coordinates(run_index);
  const RunResult result = made_result(run_index);
  return {.run_index = run_index,
          .workload = sweep.workloads[run.workload].label,
          .headroom_percent = sweep.sizes[run.size].percent,
          .vm = sweep.vm[run.vm].label,
          .spot = sweep.spot[run.spot].label,
          .evictor = sweep.evictors[run.evictor].label,
          .saf = sweep.saf[run.saf],
          .otn = sweep.otn[run.otn],
          .result = result,
          .workload_sha256 = small_sweep_workloads()[run.workload].sha256,
          .configuration = run_json(sweep, run, result.hosts),
          .version = "0.0.test",
          .seed = run.workload == 1 ? std::uint64_t{7} : 0};
}

std::vector<ResultRow> made_rows(std::size_t first, std::size_t count) {
  std::vector<ResultRow> rows;
  for (std::size_t i = 0; i < count; ++i) rows.push_back(made_row(first + i));
  return rows;
}

SweepRecord small_sweep_record() {
  const Sweep sweep = small_sweep();
  return {sweep_json(sweep), SweepGrid(sweep).run_count(), "0.0.test", "test"};
}

std::vector<WorkloadRecord> small_sweep_workloads() {
  return {{"a.csv", std::string(64, 'a'), "a.csv"}, {"b", std::string(64, 'b'), "b"}};
}

SweepRunner made_runner() {
  return {small_sweep_workloads(),
          [](const RunGroup&, std::span<const std::size_t> pending, const RecordRun& record) {
            for (const std::size_t run : pending) record(run, made_result(run));
          }};
}

}  // namespace cospot
