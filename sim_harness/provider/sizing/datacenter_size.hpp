#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/resource_vector.hpp"
#include "sim_harness/data/hosts/host_mix.hpp"
#include "sim_harness/data/workloads/vcpus_unit.hpp"
#include "sim_harness/provider/run/event_schedule.hpp"
#include "sim_harness/provider/run/run_result.hpp"
#include "sim_harness/provider/run/run_settings.hpp"

namespace cospot {

/// The smallest datacenter for the VMs of a workload under one VM policy.
struct DatacenterSize {
  std::size_t hosts = 0;        ///< the size that "0 % headroom" means
  std::size_t lower_bound = 0;  ///< the hosts needed for the peak demand with perfect packing
};

/// The remedy for a VM that is larger than a host, in terms of a sweep file.
inline constexpr std::string_view kLargeVmRemedy =
    "use a larger host, or give 'hosts' instead of 'headroom_percent' to count such VMs as "
    "rejected";

/// Throws ConfigError if a VM is larger than every host, so that no datacenter holds all VMs; the
/// message uses the workload's `unit` and ends with `remedy`.
void require_every_vm_fits(const Workload& workload, const HostMix& host,
                           std::string_view remedy = kLargeVmRemedy, const VcpusUnit& unit = {});

/// True if an empty host can hold each VM. Spots do not count.
[[nodiscard]] bool fits_every_vm(const Workload& workload, const HostMix& host);

/// A warning that some requests are larger than every host, so that every run rejects them; empty
/// if there is none.
[[nodiscard]] std::string oversized_warning(const Workload& workload, const HostMix& host,
                                            const VcpusUnit& unit);

/// The same, and that further VMs of a run found no host; `consequence` says what that changes.
[[nodiscard]] std::vector<std::string> host_warnings(const Workload& workload, const HostMix& host,
                                                     const VcpusUnit& unit, const RunResult& run,
                                                     std::string_view consequence);

/// The first number of hosts with which a run of the VMs alone rejects none, counting up from the
/// lower bound in steps of max(1, floor(lower bound / 1000)). `vms` is the schedule of the
/// workload's VMs only. If only one type of hosts is added, counting starts at the declared hosts.
/// Throws Interrupted when the thread's StopToken requests it.
///
/// Source: CoSpot, section 4.3, which counts one by one. Errors: ConfigError if a VM is larger than
/// a host, no number of hosts can satisfy the VMs' placement requirements, or the policy is
/// unknown.
[[nodiscard]] DatacenterSize smallest_datacenter(const Workload& workload, const EventSchedule& vms,
                                                 const HostMix& host, const ChainSpec& vm,
                                                 const VcpusUnit& unit = {},
                                                 std::string_view remedy = kLargeVmRemedy);

/// The fewest hosts that hold all VMs under any of several policies: the base of a headroom, so
/// that all policies are compared on the same hosts. Errors: as above.
[[nodiscard]] std::size_t fewest_hosts(const Workload& workload, const EventSchedule& vms,
                                       const HostMix& host, std::span<const ChainSpec> policies,
                                       const VcpusUnit& unit = {});

/// The size with `percent` more hosts, with the addition rounded to the nearest whole host.
[[nodiscard]] std::size_t with_headroom(std::size_t hosts, double percent);

}  // namespace cospot
