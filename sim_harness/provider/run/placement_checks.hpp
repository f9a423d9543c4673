#pragma once

#include <cstddef>
#include <optional>

#include "core/ranking/chain.hpp"
#include "sim_harness/data/hosts/host_mix.hpp"
#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/provider/run/event_schedule.hpp"

namespace cospot {

/// Refuses what no host can give: a zone that there is not, extra specs or a tenant for which no
/// host is there, a group with affinity that asks for more at a time than any host has, and, where
/// the number of hosts is known, one with anti-affinity that has more members at a time.
///
/// `schedule` is that of the workload. Errors: ConfigError that names the request or the group.
void require_possible_placements(const Workload& workload, const EventSchedule& schedule,
                                 const HostMix& hosts, std::optional<std::size_t> count);

/// Refuses to let pass in silence what requests ask beside room.
///
/// Errors: ConfigError when the schedule has such requests and the chain does not look at that: a
/// mistake of whoever made the chain, for every study asks make_chain for the filters.
void require_placements_seen(const EventSchedule& schedule, const Chain& chain);

}  // namespace cospot
