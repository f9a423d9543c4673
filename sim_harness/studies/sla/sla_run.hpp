#pragma once

#include <cstdint>
#include <string>

#include "sim_harness/provider/run/event_schedule.hpp"
#include "sim_harness/provider/run/run_result.hpp"
#include "sim_harness/studies/sla/sla_settings.hpp"

namespace cospot {

/// What one run of the study `sla` came to.
struct SlaResult {
  RunResult run{};  ///< VMs are the on-demand requests
  double on_demand_vcpus_mean = 0;
  double spot_vcpus_mean = 0;
  std::uint64_t refreshes = 0;
  double refresh_ms_max = 0;
  double on_demand_vcpus_held = 0;
  double spot_vcpus_held = 0;
  double spot_revenue_share = 0;
  double window_days = 0;
};

/// Which run: positions in the settings.
struct SlaRun {
  std::size_t on_demand = 0, spot = 0, hosts = 0, target = 0, seed = 0;
};

/// The requests of a run as one workload: on-demand as VMs first, then spots, shifted by the delay.
[[nodiscard]] Workload sla_workload(const SlaSettings& settings, const RequestStore& store,
                                    const SlaRun& run);

/// Refuses what no host can give of what the requests of a study ask beside room, on its fewest
/// hosts. Errors: ConfigError.
void require_possible_requests(const SlaSettings& settings, const RequestStore& store);

/// The events of a run's workload.
[[nodiscard]] EventSchedule sla_schedule(const SlaSettings& settings, const Workload& workload);

/// The policies and the datacenter of a run. Without a target every spot that fits is admitted;
/// with one, the filter that promises decides too.
[[nodiscard]] RunSettings sla_simulation(const SlaSettings& settings, const SlaRun& run);

/// Errors: ConfigError, PolicyError.
[[nodiscard]] SlaResult run_sla(const SlaSettings& settings, const RequestStore& store,
                                const SlaRun& run);

}  // namespace cospot
