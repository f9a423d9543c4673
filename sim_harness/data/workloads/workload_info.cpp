#include "sim_harness/data/workloads/workload_info.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/errors.hpp"

namespace cospot {
namespace {

std::size_t class_index(const WorkloadRow& row) {
  return static_cast<std::size_t>(row.instance_class);
}

/// The share of the hosts' capacity that a resource's peak takes, compared exactly.
struct Load {
  std::string_view resource;
  std::int64_t peak;
  std::int64_t capacity;
  std::int64_t hosts = 0;  ///< that the peak needs

  /// With 128 bits: a peak may be 2^32 requests of 2^26.
  [[nodiscard]] bool binds_more_than(const Load& other) const {
    if (hosts != other.hosts) return hosts > other.hosts;
    return Revenue{peak} * other.capacity > Revenue{other.peak} * capacity;
  }
};

/// The hosts that a peak of one resource needs. The hosts have some of it, or nobody asks for it.
std::int64_t hosts_for(const HostMix& host, std::int64_t HostMix::Sum::*resource,
                       std::int64_t peak) {
  HostMix::Sum amount;
  amount.*resource = peak;
  return static_cast<std::int64_t>(host.fewest_with(amount).value());
}

Lifetimes describe_lifetimes(const Workload& workload, InstanceClass instance_class) {
  std::vector<SimTime> ended;
  Lifetimes lifetimes;
  for (const WorkloadRow& row : workload.rows) {
    if (row.instance_class != instance_class) continue;
    ++lifetimes.instances;
    if (row.end == kNever) {
      ++lifetimes.never_ended;
    } else {
      ended.push_back(row.end - row.start);
    }
  }
  std::sort(ended.begin(), ended.end());
  for (std::size_t i = 0; i < kLifetimePercents.size(); ++i) {
    // The rank is ceil(n * percent / 100), counted from 1.
    const auto percent = static_cast<std::uint64_t>(kLifetimePercents[i]);
    const std::uint64_t rank = (lifetimes.instances * percent + 99) / 100;
    lifetimes.quantiles[i] = rank >= 1 && rank <= ended.size() ? ended[rank - 1] : kNever;
  }
  return lifetimes;
}

std::vector<FlavorCount> count_flavors(const Workload& workload) {
  std::map<std::tuple<ResourceAmount, ResourceAmount, ResourceAmount>, FlavorCount> counts;
  for (const WorkloadRow& row : workload.rows) {
    const ResourceVector& amounts = row.resources;
    FlavorCount& count = counts[{amounts.vcpus, amounts.memory_mb, amounts.disk_gb}];
    count.resources = amounts;
    ++(row.is_spot() ? count.spots : count.vms);
  }
  std::vector<FlavorCount> flavors;
  flavors.reserve(counts.size());
  for (const auto& [key, count] : counts) flavors.push_back(count);
  std::ranges::stable_sort(flavors, std::greater{},
                           [](const FlavorCount& count) { return count.vms + count.spots; });
  return flavors;
}

void count_tenants(const Workload& workload, WorkloadInfo& info) {
  std::array<std::set<std::string_view>, 2> tenants;
  for (const WorkloadRow& row : workload.rows) tenants[class_index(row)].insert(row.tenant);
  info.tenants = {tenants[0].size(), tenants[1].size()};
  tenants[0].merge(tenants[1]);
  info.all_tenants = tenants[0].size();
}

void count_requests(const Workload& workload, WorkloadInfo& info) {
  for (const WorkloadRow& row : workload.rows) {
    const std::size_t which = class_index(row);
    ++info.requests[which];
    info.revenue[which] += requested_revenue(row, workload.window);
    if (row.start < SimTime(0)) {
      ++info.early[which];
    } else if (row.start < workload.window) {
      const auto hour = (row.start % kDay) / std::chrono::hours(1);
      ++info.arrivals_by_hour[which][static_cast<std::size_t>(hour)];
    } else {
      ++info.outside[which];
    }
  }
  const auto [first, last] = std::ranges::minmax_element(workload.rows, {}, &WorkloadRow::start);
  if (first == workload.rows.end()) return;
  info.first_start = first->start;
  info.last_start = last->start;
}

}  // namespace

PeakDemand peak_demand(const Workload& workload, Sees sees) {
  std::vector<const WorkloadRow*> arrivals;
  std::vector<const WorkloadRow*> departures;
  for (const WorkloadRow& row : workload.rows) {
    if (row.instance_class != InstanceClass::kVm && sees == Sees::kVms) continue;
    if (!starts_in_time(row, workload.window)) continue;
    arrivals.push_back(&row);
    // An instance that leaves at the moment it comes never waits to depart.
    if (row.end != kNever && row.end != row.start) departures.push_back(&row);
  }
  if (!std::ranges::is_sorted(arrivals, {}, &WorkloadRow::start)) {
    std::ranges::stable_sort(arrivals, {}, &WorkloadRow::start);
  }
  std::ranges::stable_sort(departures, {}, &WorkloadRow::end);
  ResourceTotal now;
  const auto add = [&now](const ResourceVector& amounts, std::int64_t sign) {
    now.vcpus += sign * amounts.vcpus;
    now.memory_mb += sign * amounts.memory_mb;
    now.disk_gb += sign * amounts.disk_gb;
  };
  PeakDemand peak;
  auto next_departure = departures.begin();
  for (const WorkloadRow* arrival : arrivals) {
    const SimTime time = arrival->start;
    while (next_departure != departures.end() && (*next_departure)->end <= time) {
      add((*next_departure++)->resources, -1);
    }
    add(arrival->resources, +1);
    if (now.vcpus > peak.amount.vcpus)
      std::tie(peak.amount.vcpus, peak.vcpus_at) = std::tie(now.vcpus, time);
    if (now.memory_mb > peak.amount.memory_mb)
      std::tie(peak.amount.memory_mb, peak.memory_at) = std::tie(now.memory_mb, time);
    if (now.disk_gb > peak.amount.disk_gb)
      std::tie(peak.amount.disk_gb, peak.disk_at) = std::tie(now.disk_gb, time);
    if (arrival->end == arrival->start) add(arrival->resources, -1);
  }
  return peak;
}

HostBound least_hosts(const Workload& workload, const PeakDemand& peak, const HostMix& host) {
  const HostMix::Sum sum = host.sum(std::max<std::size_t>(1, host.declared()));
  std::array<Load, 3> loads{Load{"vcpus", peak.amount.vcpus, sum.vcpus},
                            Load{"memory_mb", peak.amount.memory_mb, sum.memory_mb},
                            Load{"disk_gb", peak.amount.disk_gb, sum.disk_gb}};
  for (const Load& load : loads) {
    if (load.peak > 0 && load.capacity <= 0) {
      throw ConfigError(
          fmt::format("the host{} {} {}, expected more than 0: the workload '{}' asks for up to {}",
                      host.is_plain() ? " has" : "s have", load.capacity, load.resource,
                      workload.name, load.peak));
    }
  }
  loads[0].hosts = hosts_for(host, &HostMix::Sum::vcpus, loads[0].peak);
  loads[1].hosts = hosts_for(host, &HostMix::Sum::memory_mb, loads[1].peak);
  loads[2].hosts = hosts_for(host, &HostMix::Sum::disk_gb, loads[2].peak);
  HostBound bound{.hosts = {loads[0].hosts, loads[1].hosts, loads[2].hosts}};
  const Load* binding = &loads[0];
  for (const Load& load : loads) {
    if (load.peak > 0 && load.binds_more_than(*binding)) binding = &load;
  }
  bound.least_hosts = binding->hosts;
  bound.binding = binding->resource;
  bound.too_large =
      static_cast<std::uint64_t>(std::ranges::count_if(workload.rows, [&](const WorkloadRow& row) {
        return starts_in_time(row, workload.window) && !host.fits_an_empty_host(row.resources);
      }));
  return bound;
}

WorkloadInfo describe_workload(const Workload& workload, const std::optional<HostMix>& host) {
  WorkloadInfo info;
  count_requests(workload, info);
  count_tenants(workload, info);
  info.vm_peak = peak_demand(workload, Sees::kVms);
  info.total_peak = peak_demand(workload, Sees::kVmsAndSpots);
  info.lifetimes = {describe_lifetimes(workload, InstanceClass::kVm),
                    describe_lifetimes(workload, InstanceClass::kSpot)};
  info.flavors = count_flavors(workload);
  info.host = host;
  if (host.has_value()) {
    info.vm_bound = least_hosts(workload, info.vm_peak, *host);
    info.total_bound = least_hosts(workload, info.total_peak, *host);
  }
  return info;
}

}  // namespace cospot
