#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "sim_harness/studies/sla/sla_run.hpp"
#include "sim_harness/studies/sla/sla_settings.hpp"

namespace cospot {

/// A run of the study `sla`: positions in the settings.
struct SlaRun {
  std::size_t vms = 0, spots = 0, hosts = 0, target = 0, seed = 0;
};

[[nodiscard]] inline GridPoint<SlaSettings> point_of(const SlaSettings& settings,
                                                     const SlaRun& run) {
  return {{kSlaWorkloadAxis.name, kSpotWorkloadAxis.name, kHostsAxis.name, kTargetAxis.name,
           kSeedAxis.name},
          settings,
          {run.vms, run.spots, run.hosts, run.target, run.seed}};
}

[[nodiscard]] inline Workload sla_workload(const SlaSettings& settings, const SlaRun& run = {}) {
  const RequestStore store({settings.vm_sources, settings.spot_sources});
  return sla_workload(store, point_of(settings, run));
}

/// The policies and the datacenter of a run.
[[nodiscard]] inline RunSettings sla_simulation(const SlaSettings& settings,
                                                const SlaRun& run = {}) {
  const ProviderStudy study(sla_preset(), {});
  const Workload none;
  const GridPoint<SlaSettings> at = point_of(settings, run);
  const std::vector<std::any> shared(study.parts().size());
  RunOutcome outcome;
  return study.prepare(at, {.workload = &none, .hosts = at.get(kHostsAxis)}, shared, outcome)
      .settings;
}

[[nodiscard]] inline RunOutcome run_sla(const SlaSettings& settings, const SlaRun& run = {}) {
  const auto requests = read_traces(settings);
  return ProviderStudy(sla_preset(), {}).run(point_of(settings, run), *requests, {});
}

}  // namespace cospot
