#include "sim_harness/tune/tune_rows.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "sim_harness/data/workloads/load_workload.hpp"
#include "sim_harness/studies/compare/compare_schema.hpp"
#include "sim_harness/studies/compare/sweep_grid.hpp"
#include "sim_harness/studies/compare/sweep_json.hpp"
#include "sim_harness/studies/compare/sweep_runner.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"

namespace cospot {
namespace {

std::vector<Headroom> host_counts(std::span<const TuneSample> samples) {
  std::set<std::size_t> counts;
  for (const TuneSample& sample : samples) counts.insert(sample.hosts);
  std::vector<Headroom> sizes;
  for (const std::size_t hosts : counts) sizes.push_back({.percent = {}, .hosts = hosts});
  return sizes;
}

RunResult without_times(RunResult result) {
  result.alloc_p50_ns = result.alloc_p99_ns = result.alloc_max_ns = 0;
  result.wall_ms = 0;
  return result;
}

ResultRow make_row(const Sweep& sweep, const TuneSample& sample, const RunCoordinates& at,
                   std::size_t run_index, const RunResult& result) {
  return {.run_index = run_index,
          .workload = sample.spec.label,
          .headroom_percent = {},
          .vm = sweep.vm[at.vm].label,
          .spot = sweep.spot[at.spot].label,
          .evictor = sweep.evictors[at.evictor].label,
          .saf = sweep.saf[at.saf],
          .otn = sweep.otn[at.otn],
          .result = without_times(result),
          .workload_sha256 = sample.workload.sha256,
          .configuration = run_json(sweep, at, sample.hosts),
          .version = COSPOT_VERSION,
          .seed = sample.spec.synthetic ? sample.spec.synthetic->seed : 0};
}

}  // namespace

ExperimentTables tune_tables(const TuneRecord& record) {
  const SweepGrid grid(record.sweep);
  return {.record = {.study = compare_schema().study,
                     .configuration = sweep_json(record.sweep),
                     .run_count = grid.run_count(),
                     .group_count = grid.group_count(),
                     .version = COSPOT_VERSION,
                     .created_by = "cospot tune"},
          .schema = compare_schema(),
          .axes = provider_table().axes(record.sweep)};
}

TuneRecord tune_record(const TuneSettings& settings, std::span<const TuneSample> samples,
                       const TuneRuns& runs, const HostMix& host) {
  TuneRecord record;
  record.sweep = {.workloads = {},
                  .host = host,
                  .sizes = host_counts(samples),
                  .vm = settings.vm,
                  .spot = settings.spot,
                  .evictors = settings.evictors,
                  .saf = settings.saf,
                  .otn = settings.otn};
  for (const TuneSample& sample : samples) {
    record.sweep.workloads.push_back(sample.spec);
    record.sweep.workloads.back().window =
        recorded_window(sample.spec.window, sample.workload.window);
    record.sweep.workloads.back().recorded_unit = vcpus_unit_of(sample.spec);
    record.workloads.push_back({.label = sample.spec.label,
                                .sha256 = sample.workload.sha256,
                                .name = sample.workload.name});
  }
  const SweepGrid grid(record.sweep);
  for (std::size_t sample = 0; sample < samples.size(); ++sample) {
    const auto size =
        std::ranges::find(record.sweep.sizes, samples[sample].hosts, &Headroom::hosts);
    for (std::size_t candidate = 0; candidate < runs.space().size(); ++candidate) {
      const RunResult* result = runs.find(candidate, sample);
      if (result == nullptr) continue;
      RunCoordinates at = runs.space().at(candidate);
      at.workload = sample;
      at.size = static_cast<std::size_t>(size - record.sweep.sizes.begin());
      record.rows.push_back(
          to_row(make_row(record.sweep, samples[sample], at, grid.run_index(at), *result)));
    }
  }
  return record;
}

}  // namespace cospot
