#include "sim_harness/studies/compare/compare.hpp"

#include <memory>
#include <stdexcept>
#include <utility>

#include "sim_harness/studies/compare/compare_schema.hpp"
#include "sim_harness/studies/compare/sweep_json.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"
#include "sim_harness/studies/provider/provider_inputs.hpp"

namespace cospot {
namespace {

/// The sweep as its record tells it: with the windows that are in force, and the workloads' units.
Sweep as_recorded(Sweep sweep, const SweepRunner& runner) {
  sweep.workloads = with_recorded_windows(std::move(sweep.workloads), runner.windows);
  for (std::size_t i = 0; i < runner.units.size(); ++i) {
    sweep.workloads[i].recorded_unit = runner.units[i];
  }
  return sweep;
}

/// What the runs are told apart by, for the functions of the experiment.
struct Comparison {
  Sweep sweep;
  SweepRunner runner;
  SweepGrid grid;

  [[nodiscard]] Measures measures(std::size_t run_index, const RunResult& result) const {
    const std::size_t workload = grid.coordinates(run_index).workload;
    const WorkloadSpec& spec = sweep.workloads[workload];
    return compare_measures(result, runner.workloads[workload].sha256,
                            spec.synthetic ? spec.synthetic->seed : 0);
  }
};

}  // namespace

Experiment make_comparison(const Sweep& sweep, const SweepRunner& runner) {
  if (runner.workloads.size() != sweep.workloads.size()) {
    throw std::logic_error("the runner of a sweep must name every workload of it");
  }
  const auto comparison = std::make_shared<const Comparison>(
      Comparison{as_recorded(sweep, runner), runner, SweepGrid(sweep)});
  return {.schema = compare_schema(),
          .axes = provider_table().axes(comparison->sweep),
          .group_by = axis_names(kWorkloadAxis, kSizeAxis, kVmAxis, kSpotAxis),
          .configuration = sweep_json(comparison->sweep),
          .inputs = runner.workloads,
          .warnings = runner.warnings,
          .run_group =
              [comparison](const RunGroup& group, std::span<const std::size_t> pending,
                           const RecordMeasures& record) {
                comparison->runner.run_group(
                    group, pending, [&](std::size_t run_index, const RunResult& result) {
                      record(run_index, comparison->measures(run_index, result));
                    });
              },
          .run_configuration =
              [comparison](std::size_t run_index, const Measures& measures) {
                const auto hosts = static_cast<std::size_t>(std::get<std::int64_t>(measures[0]));
                return run_json(comparison->sweep, comparison->grid.coordinates(run_index), hosts);
              }};
}

}  // namespace cospot
