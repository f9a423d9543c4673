#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "sim_harness/advise/tune_output.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/studies/compare/compare_schema.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"
#include "sim_harness/studies/provider/provider_inputs.hpp"

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

Row make_row(std::size_t run_index, std::span<const GridAxis> axes, const Coordinates& at,
             const GridPoint<ProviderSettings>& run, const TuneSample& sample,
             const RunResult& result) {
  Row row{.run_index = run_index,
          .values = {},
          .configuration = run_json(run, sample.hosts),
          .version = COSPOT_VERSION};
  for (std::size_t i = 0; i < axes.size(); ++i) row.values.push_back(axes[i].values[at[i]].value);
  const std::uint64_t seed = sample.spec.synthetic ? sample.spec.synthetic->seed : 0;
  for (Value& value : compare_measures(without_times(result), sample.workload.sha256, seed)) {
    row.values.push_back(std::move(value));
  }
  return row;
}

/// The grid of a record, with the groups of a comparison.
Grid grid_of_record(std::span<const GridAxis> axes) {
  return grid_of(axes, axis_position(axes, kEvictorAxis.name));
}

}  // namespace

ExperimentTables tune_tables(const TuneRecord& record) {
  std::vector<GridAxis> axes = provider_table().axes(record.sweep);
  const Grid grid = grid_of_record(axes);
  return {.record = {.study = compare_schema().study,
                     .configuration = compact_json(provider_table().json(record.sweep)),
                     .run_count = grid.run_count(),
                     .group_count = grid.group_count(),
                     .version = COSPOT_VERSION,
                     .created_by = "cospot tune"},
          .schema = compare_schema(),
          .axes = std::move(axes)};
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
  std::vector<SimTime> windows;
  for (const TuneSample& sample : samples) {
    record.sweep.workloads.push_back(sample.spec);
    windows.push_back(sample.workload.window);
    record.workloads.push_back(input_record(sample.spec, sample.workload));
  }
  add_named_files(host, settings.evictors, record.workloads);
  record.sweep.workloads = as_recorded(std::move(record.sweep.workloads), windows);
  const std::vector<GridAxis> axes = provider_table().axes(record.sweep);
  const Grid grid = grid_of_record(axes);
  for (std::size_t sample = 0; sample < samples.size(); ++sample) {
    const auto size =
        std::ranges::find(record.sweep.sizes, samples[sample].hosts, &Headroom::hosts);
    for (std::size_t candidate = 0; candidate < runs.space().size(); ++candidate) {
      const RunResult* result = runs.find(candidate, sample);
      if (result == nullptr) continue;
      Coordinates at{sample, static_cast<std::size_t>(size - record.sweep.sizes.begin())};
      std::ranges::copy(runs.space().positions(candidate), std::back_inserter(at));
      record.rows.push_back(make_row(grid.run_index(at), axes, at,
                                     provider_table().at(record.sweep, at), samples[sample],
                                     *result));
    }
  }
  return record;
}

}  // namespace cospot
