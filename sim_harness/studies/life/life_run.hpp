#pragma once

#include "core/model/host_table.hpp"
#include "sim_harness/engine/event_schedule.hpp"
#include "sim_harness/engine/life_observer.hpp"
#include "sim_harness/engine/life_result.hpp"
#include "sim_harness/engine/run_settings.hpp"
#include "sim_harness/life/life_settings.hpp"
#include "sim_harness/workloads/workload.hpp"

namespace cospot {

/// One run from these hosts on, by the engine that it needs: where nothing happens beside the
/// workload, the one that knows no more. `schedule` is that of the workload.
///
/// Errors: WorkloadError as make_life_plan; ConfigError for an unknown policy.
[[nodiscard]] LifeResult run_life(const Workload& workload, const EventSchedule& schedule,
                                  const RunSettings& settings, HostTable hosts,
                                  const LifeSettings& life, LifeObserver* observer = nullptr);

/// Errors: ConfigError that names `where` when a chain needs a forecast of lifetimes or
/// revocations: nothing here makes one.
void require_no_forecast(const ChainSpec& chain, const std::string& where);

}  // namespace cospot
