#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/model/resource_vector.hpp"
#include "sim_harness/data/hosts/host_mix.hpp"
#include "sim_harness/data/workloads/vcpus_unit.hpp"
#include "sim_harness/provider/run/event_schedule.hpp"
#include "sim_harness/provider/run/run_settings.hpp"

namespace cospot {

/// The smallest datacenter for the VMs of a workload under one VM policy.
struct DatacenterSize {
  std::size_t hosts = 0;        ///< the size that "0 % headroom" means
  std::size_t lower_bound = 0;  ///< what the peak demand needs if nothing were lost to packing
};

/// What to do about a VM that is larger than a host, in the words of a sweep file.
inline constexpr std::string_view kLargeVmRemedy =
    "use a larger host, or give 'hosts' instead of 'headroom_percent' to count such VMs as "
    "rejected";

/// Throws ConfigError when a VM is larger than every host, so that no datacenter holds all VMs; the
/// message ends with `remedy` and speaks of the workload's `unit`.
void require_every_vm_fits(const Workload& workload, const HostMix& host,
                           std::string_view remedy = kLargeVmRemedy, const VcpusUnit& unit = {});

/// The first host count, counting up from the lower bound in steps of max(1, floor(lower bound /
/// 1000)), at which a run of the VMs alone rejects none. `vms` is the schedule of the workload's
/// VMs only. Where only one type of hosts is added, counting begins with the declared ones. Throws
/// Interrupted when the thread's StopToken asks.
///
/// Source: CoSpot, section 4.3, which counts one by one. Errors: ConfigError when a VM is larger
/// than a host, no number of hosts will do for what VMs ask beside room, or the policy is unknown.
[[nodiscard]] DatacenterSize smallest_datacenter(const Workload& workload, const EventSchedule& vms,
                                                 const HostMix& host, const ChainSpec& vm,
                                                 const VcpusUnit& unit = {});

/// The fewest hosts that hold all VMs under one of several policies: what a headroom counts from,
/// so that all of them are compared on equal hosts. Errors: as above.
[[nodiscard]] std::size_t fewest_hosts(const Workload& workload, const EventSchedule& vms,
                                       const HostMix& host, std::span<const ChainSpec> policies,
                                       const VcpusUnit& unit = {});

/// The size with `percent` more hosts, the addition rounded to the nearest whole host.
[[nodiscard]] std::size_t with_headroom(std::size_t hosts, double percent);

}  // namespace cospot
