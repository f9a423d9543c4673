#pragma once

#include <cstddef>
#include <optional>

#include "core/ranking/chain.hpp"
#include "sim_harness/data/hosts/host_mix.hpp"
#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/provider/run/event_schedule.hpp"

namespace cospot {

/// Rejects requests that no host can satisfy: an unknown zone, extra specs or a tenant without a
/// matching host, an affinity group whose members together exceed every host, and, if the number of
/// hosts is known, an anti-affinity group with more simultaneous members than hosts.
///
/// `schedule` is made from the workload. Errors: ConfigError that names the request or the group.
void require_possible_placements(const Workload& workload, const EventSchedule& schedule,
                                 const HostMix& hosts, std::optional<std::size_t> count);

/// Ensures that the chain checks what requests ask for besides capacity.
///
/// Errors: ConfigError if it does not. That is a mistake in making the chain, because make_chain
/// gives every study these filters.
void require_placements_seen(const EventSchedule& schedule, const Chain& chain);

}  // namespace cospot
