#include "sim_harness/studies/schedulers/schedulers_study.hpp"

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "sim_harness/provider/loop/provider_run.hpp"
#include "sim_harness/studies/provider/provider_inputs.hpp"
#include "sim_harness/studies/schedulers/schedulers_figures.hpp"
#include "sim_harness/studies/schedulers/schedulers_schema.hpp"
#include "sim_harness/studies/schedulers/schedulers_settings.hpp"

namespace cospot {
namespace {

/// Simulates one point of the grid.
SchedulersRun simulate(const GridPoint<SchedulersSettings>& at, const ProviderInputs& inputs) {
  constexpr double kMicrosecondsPerSecond = 1e6, kMicrosecondsPerMs = 1e3;
  const auto microseconds = [](double count) { return SimTime{std::llround(count)}; };
  SharedWorkload& workload = *inputs.workloads[at.index(kWorkloadAxis)];
  const std::size_t hosts = workload.hosts(at.get(kSizeAxis), at.index(kVmAxis));
  const RunSettings run = run_settings_at(at, hosts);
  const SchedulerSettings schedulers{
      .schedulers = static_cast<std::size_t>(at.get(kSchedulersAxis)),
      .deal = at.get(kAssignedByAxis),
      .refresh_interval = microseconds(at.get(kRefreshIntervalAxis) * kMicrosecondsPerSecond),
      .decision_time = microseconds(at.get(kDecisionAxis) * kMicrosecondsPerMs),
      .commit = at.get(kCommitRuleAxis),
      .retry = at.get(kRetryRuleAxis),
      .retries = static_cast<std::size_t>(at.get(kMaxRetriesAxis)),
      .host_subset_size = static_cast<std::size_t>(at.get(kHostSubsetSizeAxis)),
      .seed = static_cast<std::uint64_t>(at.get(kSchedulersSeedAxis))};
  ProviderRun simulation(workload.workload(), workload.schedule(), run, run.host.table(hosts),
                         {.schedulers = schedulers});
  simulation.run();
  const SimulationEngine& engine = simulation.engine();
  return {.levels = engine.level_outcomes(), .result = engine.scheduler_result(), .hosts = hosts};
}

Experiment load(SchedulersSettings settings) {
  auto inputs = std::make_shared<const ProviderInputs>(load_provider_inputs(
      settings.workloads, settings.host, settings.sizes, settings.sized_policies()));
  settings.workloads = as_recorded(settings.workloads, inputs->windows);
  Experiment experiment{.schema = schedulers_schema(),
                        .axes = schedulers_table().axes(settings),
                        .group_by = provider_axis_names(),
                        .configuration = schedulers_table().json(settings).dump(),
                        .inputs = inputs->records,
                        .warnings = inputs->warnings};
  experiment.group_by.push_back(kSchedulersAxis.name);  // as many take about as long
  experiment.run_group = [settings, inputs, grid = experiment.grid()](
                             const RunGroup& /*group*/, std::span<const std::size_t> pending,
                             const RecordMeasures& record) {
    for (const std::size_t run : pending) {
      record(run,
             values_of(std::span(schedulers_measures()),
                       simulate(schedulers_table().at(settings, grid.coordinates(run)), *inputs)));
    }
  };
  return experiment;
}

}  // namespace

Study schedulers_study() {
  return {.name = "schedulers",
          .summary = "several schedulers on stale views: commits that conflict, and what they cost",
          .schema = schedulers_schema,
          .read = [](const StudyFile& file) -> LoadExperiment {
            return [settings = schedulers_table().read(file)] { return load(settings); };
          },
          .figures = schedulers_figures,
          .money = schedulers_money};
}

}  // namespace cospot
