#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/model/host_table.hpp"
#include "core/ranking/chain.hpp"
#include "sim_harness/engine/event_schedule.hpp"

namespace cospot {

/// What a run of VMs alone came to.
struct DegradationResult {
  std::uint64_t hosts = 0;
  std::uint64_t vm_requests = 0;
  std::uint64_t vm_rejected = 0;
  Revenue vm_revenue_requested = 0;
  Revenue vm_revenue = 0;
};

/// Replays the VMs of a schedule, each placed on a random one of the first `top` feasible hosts of
/// its ranking, all equally likely (of fewer hosts where fewer are feasible): how much worse do
/// VMs fit when their ranking is not quite followed? With `top` = 1 nothing is drawn, and it is the
/// plain policy. The same draws for a seed everywhere.
///
/// Source: CoSpot, section 2, Hypothesis 1 and Figure 2.
[[nodiscard]] DegradationResult degrade(const EventSchedule& vms, HostTable hosts,
                                        std::shared_ptr<const Chain> vm, std::size_t top,
                                        std::uint64_t seed);

}  // namespace cospot
