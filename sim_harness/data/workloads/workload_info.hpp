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

/// The total resources of many instances.
struct ResourceTotal {
  std::int64_t vcpus = 0;
  std::int64_t memory_mb = 0;
  std::int64_t disk_gb = 0;

  friend bool operator==(const ResourceTotal&, const ResourceTotal&) = default;
};

/// The peak of each resource requested at one time, if every request is admitted and none evicted,
/// and the first time of that peak.
struct PeakDemand {
  ResourceTotal amount;
  SimTime vcpus_at{0};
  SimTime memory_at{0};
  SimTime disk_at{0};
};

/// The peak demand of the VMs, or of VMs and spots, until the window ends, including earlier
/// requests. At equal times departures precede arrivals. An instance that ends when it starts
/// counts at that moment: a host needs capacity for it.
[[nodiscard]] PeakDemand peak_demand(const Workload& workload, Sees sees);

/// A lower bound on the hosts for each resource of a peak; with one type, ceil(peak / capacity).
struct HostBound {
  ResourceTotal hosts{};
  std::int64_t least_hosts = 0;  ///< maximum over the resources
  std::string_view binding{};    ///< the resource of that maximum; ties go to the fuller one
  std::uint64_t too_large = 0;   ///< requests that fit no empty host
};
/// Errors: ConfigError if the hosts have 0 of a requested resource.
[[nodiscard]] HostBound least_hosts(const Workload& workload, const PeakDemand& peak,
                                    const HostMix& host);

inline constexpr std::array<int, 7> kLifetimePercents{1, 10, 25, 50, 75, 90, 99};

/// The lifetimes of the instances of one class. An instance that never ended counts as longer than
/// all others, so a quantile among those is kNever rather than a guess.
struct Lifetimes {
  std::uint64_t instances = 0;
  std::uint64_t never_ended = 0;
  /// The smallest lifetime that kLifetimePercents[i] percent of the instances do not exceed.
  std::array<SimTime, kLifetimePercents.size()> quantiles{};
};

struct FlavorCount {
  ResourceVector resources;
  std::uint64_t vms = 0;
  std::uint64_t spots = 0;
};

/// The contents of a workload. Per-class pairs are indexed by InstanceClass.
struct WorkloadInfo {
  std::array<std::uint64_t, 2> requests{};
  std::array<std::uint64_t, 2> early{};    ///< start < 0
  std::array<std::uint64_t, 2> outside{};  ///< start at or after the window's end
  std::array<std::uint64_t, 2> tenants{};
  std::uint64_t all_tenants = 0;  ///< of either class
  SimTime first_start{0};
  SimTime last_start{0};
  PeakDemand vm_peak;
  PeakDemand total_peak;
  std::array<Lifetimes, 2> lifetimes{};
  std::array<Revenue, 2> revenue{};  ///< requested inside the window
  std::vector<FlavorCount> flavors;  ///< all, most requested first
  /// Requests that start inside the window, by hour of the day; the first day starts with the
  /// window.
  std::array<std::array<std::uint64_t, 24>, 2> arrivals_by_hour{};
  std::optional<HostMix> host;  ///< the hosts of the bounds below
  HostBound vm_bound;
  HostBound total_bound;
};

[[nodiscard]] WorkloadInfo describe_workload(const Workload& workload,
                                             const std::optional<HostMix>& host = {});

}  // namespace cospot
