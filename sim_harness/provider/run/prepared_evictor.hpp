#pragma once

#include <memory>
#include <vector>

#include "core/model/spot_traits.hpp"
#include "core/policy/evictor.hpp"
#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/provider/run/event_schedule.hpp"

namespace cospot {

/// The traits of every spot of `workload`, in order of arrival. `schedule` has all its rows.
///
/// A customer's previous instance is the last one (VM or spot) whose end in the workload precedes
/// the request in event order, as a provider's log would show. A run may have rejected or evicted
/// it; its lifetime is still the workload's, so that it is the same for all runs. Instances that
/// ended before the start of the workload are not included.
[[nodiscard]] std::vector<SpotTraits> read_spot_traits(const Workload& workload,
                                                       const EventSchedule& schedule);

/// The evictor for a run of `workload`: `evictor` itself, or one prepared with the knowledge about
/// the workload's spots. `schedule` has all its rows.
[[nodiscard]] std::shared_ptr<const Evictor> prepared_evictor(
    const std::shared_ptr<const Evictor>& evictor, const Workload& workload,
    const EventSchedule& schedule);

}  // namespace cospot
