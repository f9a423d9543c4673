#pragma once

#include <memory>

#include "sim_harness/provider/run/event_schedule.hpp"
#include "sim_harness/studies/sla/sla_settings.hpp"

namespace cospot {

/// The requests of a run as one workload: VMs first, then spots, shifted by the delay.
[[nodiscard]] Workload sla_workload(const RequestStore& store, const GridPoint<SlaSettings>& at);

/// The events of a run's workload.
[[nodiscard]] EventSchedule sla_schedule(const SlaSettings& settings, const Workload& workload);

/// Refuses what no host can give of what the requests of a study ask beside room, on its fewest
/// hosts. Errors: ConfigError.
void require_possible_requests(const SlaSettings& settings, const RequestStore& store);

/// The sources of a study, read. Errors: ConfigError, WorkloadError.
[[nodiscard]] std::unique_ptr<StudyRequests> load_traces(const SlaSettings& settings,
                                                         WorkloadClasses classes);

}  // namespace cospot
