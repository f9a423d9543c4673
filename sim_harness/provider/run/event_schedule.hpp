#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/model/placements.hpp"
#include "core/model/priority_levels.hpp"
#include "core/model/request.hpp"
#include "sim_harness/data/workloads/workload.hpp"

namespace cospot {

/// An event and its workload row. Eight bytes, so that a run streams through them.
struct ScheduledEvent {
  InstanceIndex instance = 0;
  std::uint32_t flavor_and_kind = 0;

  static constexpr std::uint32_t kDepartureBit = 1;
  static constexpr std::uint32_t kSpotBit = 2;

  [[nodiscard]] bool is_departure() const { return (flavor_and_kind & kDepartureBit) != 0; }
  [[nodiscard]] bool is_spot() const { return (flavor_and_kind & kSpotBit) != 0; }
  [[nodiscard]] std::uint32_t flavor() const { return flavor_and_kind >> 2; }
};

/// The requests of a schedule and their revenue.
struct RequestTotals {
  std::uint64_t vm_requests = 0;
  std::uint64_t spot_requests = 0;
  Revenue vm_revenue_requested = 0;
  Revenue spot_revenue_requested = 0;
};

/// The beginning of a schedule that a run of a shorter window processes.
struct ScheduleCut : RequestTotals {
  SimTime window{0};
  std::size_t events = 0;  ///< to its last arrival
  /// The arrivals among them whose departure is not, in their order.
  std::vector<ScheduledEvent> running{};
};

/// The arrivals and departures of a workload in the order in which a run processes them, merged
/// once and shared by all runs: by time; at equal times departures before arrivals, then in file
/// order. An instance that ends when it starts departs right after its own arrival.
struct EventSchedule : RequestTotals {
  std::vector<ScheduledEvent> events;
  std::size_t events_to_last_arrival = 0;  ///< departures after it change no result
  std::vector<ResourceVector> flavors;
  std::vector<SimTime> start;  ///< per row
  std::vector<SimTime> end;
  SimTime window = kDefaultWindow;
  /// The windows after each of which a run can pause with its results; ascending.
  std::vector<ScheduleCut> cuts{};
  /// Per row: its entry in `placements`, counted from 1, or 0 if it asks for capacity only. Empty
  /// if all do.
  std::vector<std::uint32_t> placement_of;
  std::vector<RowPlacement> placements;
  std::vector<ServerGroup> groups;

  /// True if a request asks for anything besides capacity.
  [[nodiscard]] bool has_placements() const { return !placements.empty(); }
  /// The placement requirements of all rows, before any is placed.
  [[nodiscard]] Placements make_placements() const { return {placement_of, placements, groups}; }

  [[nodiscard]] const ResourceVector& resources(ScheduledEvent event) const {
    return flavors[event.flavor()];
  }

  /// The request that an arrival makes to the chains.
  [[nodiscard]] Request request(ScheduledEvent arrival) const {
    const ResourceVector& size = resources(arrival);
    return {.vcpus = size.vcpus,
            .memory_mb = size.memory_mb,
            .disk_gb = size.disk_gb,
            .instance_class = arrival.is_spot() ? InstanceClass::kSpot : InstanceClass::kVm,
            .instance = arrival.instance,
            .time = start[arrival.instance]};
  }

  /// The revenue of an instance with these vcpus between two times.
  [[nodiscard]] Revenue revenue(ResourceAmount vcpus, SimTime from, SimTime to) const {
    const SimTime first = std::max(from, SimTime(0));
    const SimTime last = std::min(to, window);
    return last <= first ? Revenue{0} : Revenue{vcpus} * (last - first).count();
  }
};

enum class ScheduledClasses : std::uint8_t { kVmsAndSpots, kVmsOnly };

/// Tenants with reserved hosts (HostMix::isolated_tenants).
using IsolatedTenants = std::set<std::string, std::less<>>;

/// Orders the events of `workload`. Drops requests that start at or after the end of its window,
/// and spots with kVmsOnly (rows keep their numbers). With `isolated` tenants, the tenant of every
/// request matters.
[[nodiscard]] EventSchedule make_schedule(const Workload& workload,
                                          ScheduledClasses classes = ScheduledClasses::kVmsAndSpots,
                                          const IsolatedTenants& isolated = {});

/// The cut of a schedule of VMs and spots at the end of a window, not longer than its own.
[[nodiscard]] ScheduleCut cut_at(const EventSchedule& schedule, SimTime window);

}  // namespace cospot
