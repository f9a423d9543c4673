#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/model/host_table.hpp"
#include "sim_harness/data/hosts/host_mix.hpp"
#include "sim_harness/data/workloads/workload.hpp"

namespace cospot {

/// Amounts of the resources that many instances hold together.
struct ResourceTotal {
  std::int64_t vcpus = 0;
  std::int64_t memory_mb = 0;
  std::int64_t disk_gb = 0;

  friend bool operator==(const ResourceTotal&, const ResourceTotal&) = default;
};

/// The most of each resource that is asked for at one time when every request is admitted and
/// none evicted, and the first time at which it is.
struct PeakDemand {
  ResourceTotal amount;
  SimTime vcpus_at{0};
  SimTime memory_at{0};
  SimTime disk_at{0};
};

/// The peak demand of the VMs, or of VMs and spots, until the window ends (early requests too).
/// At equal times departures come before arrivals. An instance whose start is its end counts at
/// that moment: a host must have room for it.
[[nodiscard]] PeakDemand peak_demand(const Workload& workload, Sees sees);

/// How many hosts each resource of a peak needs at least; of one type, ceil(peak / capacity).
struct HostBound {
  ResourceTotal hosts{};
  std::int64_t least_hosts = 0;  ///< the largest of them
  std::string_view binding{};    ///< the resource it is of; a tie goes to the fuller one
  std::uint64_t too_large = 0;   ///< requests that fit no empty host
};
/// Errors: ConfigError when the hosts have 0 of a resource that the workload asks for.
[[nodiscard]] HostBound least_hosts(const Workload& workload, const PeakDemand& peak,
                                    const HostMix& host);

inline constexpr std::array<int, 7> kLifetimePercents{1, 10, 25, 50, 75, 90, 99};

/// How long the instances of one class live. One that never ended counts as longer than all
/// others, so a quantile that falls among those is kNever: nothing is guessed.
struct Lifetimes {
  std::uint64_t instances = 0;
  std::uint64_t never_ended = 0;
  /// The least lifetime that kLifetimePercents[i] percent of the instances do not exceed.
  std::array<SimTime, kLifetimePercents.size()> quantiles{};
};

struct FlavorCount {
  ResourceVector resources;
  std::uint64_t vms = 0;
  std::uint64_t spots = 0;
};

/// What a workload holds. Per-class pairs are indexed by InstanceClass.
struct WorkloadInfo {
  std::array<std::uint64_t, 2> requests{};
  std::array<std::uint64_t, 2> early{};    ///< start < 0
  std::array<std::uint64_t, 2> outside{};  ///< start at the window's end or later
  std::array<std::uint64_t, 2> tenants{};
  std::uint64_t all_tenants = 0;  ///< of either class
  SimTime first_start{0};
  SimTime last_start{0};
  PeakDemand vm_peak;
  PeakDemand total_peak;
  std::array<Lifetimes, 2> lifetimes{};
  std::array<Revenue, 2> revenue{};  ///< requested inside the window
  std::vector<FlavorCount> flavors;  ///< all, most requested first
  /// Requests that start inside the window, by hour of the day; day 0 starts with the window.
  std::array<std::array<std::uint64_t, 24>, 2> arrivals_by_hour{};
  std::optional<HostMix> host;  ///< what the bounds below are for
  HostBound vm_bound;
  HostBound total_bound;
};

[[nodiscard]] WorkloadInfo describe_workload(const Workload& workload,
                                             const std::optional<HostMix>& host = {});

}  // namespace cospot
