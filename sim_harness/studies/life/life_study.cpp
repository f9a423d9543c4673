#include "sim_harness/studies/life/life_study.hpp"

#include <fmt/format.h>

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "sim_harness/provider/disruptions/make_life_plan.hpp"
#include "sim_harness/provider/loop/provider_run.hpp"
#include "sim_harness/studies/life/life_figures.hpp"
#include "sim_harness/studies/life/life_keys.hpp"
#include "sim_harness/studies/life/life_schema.hpp"
#include "sim_harness/studies/provider/provider_inputs.hpp"

namespace cospot {
namespace {

/// Refuses what files name and is not there, as far as it can be told before the first run.
void check_plans(const LifeStudySettings& settings, const ProviderInputs& inputs) {
  for (const auto& shared : inputs.workloads) {
    for (const Headroom& size : settings.sizes) {
      if (size.percent) continue;
      const HostTable hosts = settings.host.table(size.hosts);
      for (const LifeSettings& life : settings.lives) {
        (void)make_life_plan(life, shared->workload(), hosts);
      }
    }
  }
}

Experiment load(LifeStudySettings settings) {
  ProviderInputs loaded = load_provider_inputs(settings.workloads, settings.host, settings.sizes,
                                               settings.sized_policies());
  settings.workloads = as_recorded(settings.workloads, loaded.windows);
  check_plans(settings, loaded);
  Experiment experiment{.schema = life_schema(),
                        .axes = life_table().axes(settings),
                        .group_by = provider_axis_names(),  // the same policies and datacenter
                        .configuration = life_table().json(settings).dump(),
                        .inputs = loaded.records,
                        .warnings = loaded.warnings};
  const auto inputs = std::make_shared<const ProviderInputs>(std::move(loaded));
  experiment.run_group = [settings, inputs, grid = experiment.grid()](
                             const RunGroup& /*group*/, std::span<const std::size_t> pending,
                             const RecordMeasures& record) {
    for (const std::size_t run : pending) {
      const auto at = life_table().at(settings, grid.coordinates(run));
      SharedWorkload& workload = *inputs->workloads[at.index(kWorkloadAxis)];
      const RunSettings one =
          run_settings_at(at, workload.hosts(at.get(kSizeAxis), at.index(kVmAxis)));
      ProviderRun simulation(workload.workload(), workload.schedule(), one,
                             one.host.table(one.hosts), {.life = at.get(kDisruptionsAxis)});
      simulation.run();
      record(run, life_measures(simulation.result()));
    }
  };
  return experiment;
}

}  // namespace

Study life_study() {
  return {.name = "life",
          .summary = "retries, returning spots, resizes, host failures and maintenance",
          .schema = life_schema,
          .read = [](const StudyFile& file) -> LoadExperiment {
            return [settings = life_table().read(file)] { return load(settings); };
          },
          .figures = life_figures,
          .money = life_money};
}

}  // namespace cospot
