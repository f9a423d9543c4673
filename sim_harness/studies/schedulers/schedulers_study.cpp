#include "sim_harness/studies/schedulers/schedulers_study.hpp"

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim_harness/engine/allocator.hpp"
#include "sim_harness/engine/prepared_evictor.hpp"
#include "sim_harness/schedulers/scheduler_simulation.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"
#include "sim_harness/studies/provider/provider_inputs.hpp"
#include "sim_harness/studies/schedulers/schedulers_schema.hpp"
#include "sim_harness/studies/schedulers/schedulers_settings.hpp"
#include "sim_harness/studies/schedulers/schedulers_text.hpp"
#include "sim_harness/studies/value_axes.hpp"

namespace cospot {
namespace {

std::vector<Axis> axes_of(const std::string& configuration) {
  const ConfigNode root = parse_yaml(configuration, "configuration");  // JSON is YAML
  return provider_axes(root, {integer_axis(root, "schedulers"), text_axis(root, "dealt_by"),
                              number_axis(root, "refresh_interval_s"),
                              number_axis(root, "decision_ms"), text_axis(root, "commit_rule"),
                              text_axis(root, "retry_rule"), integer_axis(root, "max_retries"),
                              integer_axis(root, "host_subset_size"), integer_axis(root, "seed")});
}

/// Simulates one point of the grid.
SchedulersRow simulate(const SchedulersSettings& settings, const ProviderInputs& inputs,
                       const Coordinates& at) {
  constexpr double kMicrosecondsPerSecond = 1e6, kMicrosecondsPerMs = 1e3;
  const auto microseconds = [](double count) { return SimTime{std::llround(count)}; };
  SharedWorkload& workload = *inputs.workloads[at[0]];
  const EventSchedule& schedule = workload.schedule();
  const std::size_t hosts = workload.hosts(settings.sizes[at[1]], at[2]);
  Allocator allocator =
      make_allocator(run_settings_at(settings, at, hosts), schedule.has_placements());
  allocator.evictor = prepared_evictor(allocator.evictor, workload.workload(), schedule);
  SchedulerSimulation simulation(
      schedule, settings.host.table(hosts), std::move(allocator),
      {.schedulers = static_cast<std::size_t>(settings.schedulers[at[7]]),
       .deal = settings.deals[at[8]],
       .refresh_interval =
           microseconds(settings.refresh_intervals_s[at[9]] * kMicrosecondsPerSecond),
       .decision_time = microseconds(settings.decisions_ms[at[10]] * kMicrosecondsPerMs),
       .commit = settings.commits[at[11]],
       .retry = settings.retry_rules[at[12]],
       .retries = static_cast<std::size_t>(settings.max_retries[at[13]]),
       .host_subset_size = static_cast<std::size_t>(settings.subset_sizes[at[14]]),
       .seed = static_cast<std::uint64_t>(settings.seeds[at[15]])},
      settings.deals[at[8]] == DealRule::kByTenant ? tenant_numbers(workload.workload())
                                                   : std::vector<std::uint32_t>());
  simulation.run();
  return row_of(simulation.result(), hosts);
}

Experiment load(SchedulersSettings settings) {
  auto inputs = std::make_shared<const ProviderInputs>(load_provider_inputs(
      settings.workloads, settings.host, settings.sizes, settings.sized_policies()));
  settings.workloads = as_recorded(settings.workloads, inputs->windows);
  Experiment experiment{.schema = schedulers_schema(),
                        .axes = axes_of(settings.json()),
                        .group_axes = 8,  // runs of as many schedulers take about as long
                        .configuration = settings.json(),
                        .inputs = inputs->records,
                        .warnings = inputs->warnings};
  experiment.run_group = [settings, inputs, grid = experiment.grid()](
                             const RunGroup& /*group*/, std::span<const std::size_t> pending,
                             const RecordMeasures& record) {
    for (const std::size_t run : pending) {
      record(run, values_of(std::span(schedulers_measures()),
                            simulate(settings, *inputs, grid.coordinates(run))));
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
            return [settings = read_schedulers_settings(file)] { return load(settings); };
          },
          .summary_text = schedulers_text,
          .money = schedulers_money};
}

}  // namespace cospot
