#pragma once

#include <memory>
#include <vector>

#include "core/model/spot_traits.hpp"
#include "core/policy/evictor.hpp"
#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/provider/run/event_schedule.hpp"

namespace cospot {

/// The traits of every spot of `workload`, in order of arrival. `schedule` is that of all its rows.
///
/// A customer's previous instance is the last one (VM or spot) whose end in the workload comes
/// before the request in the order of events: what the provider's log would say. A run may have
/// rejected or evicted it; the lifetime is still the workload's, so that it is known once for all
/// runs. Instances that had ended before the workload begins are not in it.
[[nodiscard]] std::vector<SpotTraits> read_spot_traits(const Workload& workload,
                                                       const EventSchedule& schedule);

/// The evictor that a run of `workload` uses: `evictor` itself, or one that knows what can be known
/// of the workload's spots. `schedule` is that of all its rows.
[[nodiscard]] std::shared_ptr<const Evictor> prepared_evictor(
    const std::shared_ptr<const Evictor>& evictor, const Workload& workload,
    const EventSchedule& schedule);

}  // namespace cospot
