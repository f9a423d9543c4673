#pragma once

#include <memory>

#include "sim_harness/provider/run/event_schedule.hpp"
#include "sim_harness/studies/sla/sla_settings.hpp"

namespace cospot {

/// The requests of a run as one workload: VMs first, then spots, delayed.
[[nodiscard]] Workload sla_workload(const RequestStore& store, const GridPoint<SlaSettings>& at);

/// The events of a run's workload.
[[nodiscard]] EventSchedule sla_schedule(const SlaSettings& settings, const Workload& workload);

/// Reads the sources of a study. Errors: WorkloadError.
[[nodiscard]] std::unique_ptr<StudyRequests> read_traces(const SlaSettings& settings);

/// The same. Errors: also ConfigError for placement requirements that no host can satisfy.
[[nodiscard]] std::unique_ptr<StudyRequests> load_traces(const SlaSettings& settings,
                                                         WorkloadClasses classes);

}  // namespace cospot
