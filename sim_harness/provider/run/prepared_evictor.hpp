#pragma once

#include <memory>

#include "core/policy/evictor.hpp"
#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/provider/run/event_schedule.hpp"

namespace cospot {

/// The evictor that a run of `workload` uses: `evictor` itself, or one that knows what can be known
/// of the workload's spots. `schedule` is that of all its rows.
[[nodiscard]] std::shared_ptr<const Evictor> prepared_evictor(
    const std::shared_ptr<const Evictor>& evictor, const Workload& workload,
    const EventSchedule& schedule);

}  // namespace cospot
