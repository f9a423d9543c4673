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

/// What happens, to which row of the workload. Eight bytes, so that a run streams through them.
struct ScheduledEvent {
  InstanceIndex instance = 0;
  std::uint32_t flavor_and_kind = 0;

  static constexpr std::uint32_t kDepartureBit = 1;
  static constexpr std::uint32_t kSpotBit = 2;

  [[nodiscard]] bool is_departure() const { return (flavor_and_kind & kDepartureBit) != 0; }
  [[nodiscard]] bool is_spot() const { return (flavor_and_kind & kSpotBit) != 0; }
  [[nodiscard]] std::uint32_t flavor() const { return flavor_and_kind >> 2; }
};

/// The arrivals and departures of a workload in the order a run sees them, merged once and shared
/// by all its runs: by time; at equal times departures before arrivals; otherwise in file order.
/// An instance that ends when it starts departs right after its own arrival.
struct EventSchedule {
  std::vector<ScheduledEvent> events;
  std::size_t events_to_last_arrival = 0;  ///< later departures change no result
  std::vector<ResourceVector> flavors;
  std::vector<SimTime> start;  ///< of each row
  std::vector<SimTime> end;
  SimTime window = kDefaultWindow;
  std::uint64_t vm_requests = 0;
  std::uint64_t spot_requests = 0;
  Revenue vm_revenue_requested = 0;
  Revenue spot_revenue_requested = 0;
  /// Of each row, from 1 on in `placements`, 0: it asks for room only. Empty where all do.
  std::vector<std::uint32_t> placement_of;
  std::vector<RowPlacement> placements;
  std::vector<ServerGroup> groups;

  /// Whether a request asks for anything beside room.
  [[nodiscard]] bool has_placements() const { return !placements.empty(); }
  /// What the rows ask, before any is placed.
  [[nodiscard]] Placements make_placements() const { return {placement_of, placements, groups}; }

  [[nodiscard]] const ResourceVector& resources(ScheduledEvent event) const {
    return flavors[event.flavor()];
  }

  /// What an arrival asks the chains for.
  [[nodiscard]] Request request(ScheduledEvent arrival) const {
    const ResourceVector& size = resources(arrival);
    return {.vcpus = size.vcpus,
            .memory_mb = size.memory_mb,
            .disk_gb = size.disk_gb,
            .instance_class = arrival.is_spot() ? InstanceClass::kSpot : InstanceClass::kVm,
            .instance = arrival.instance,
            .time = start[arrival.instance]};
  }

  /// What an instance with these vcpus earns between two times.
  [[nodiscard]] Revenue revenue(ResourceAmount vcpus, SimTime from, SimTime to) const {
    const SimTime first = std::max(from, SimTime(0));
    const SimTime last = std::min(to, window);
    return last <= first ? Revenue{0} : Revenue{vcpus} * (last - first).count();
  }
};

enum class ScheduledClasses : std::uint8_t { kVmsAndSpots, kVmsOnly };

/// Tenants that hosts are kept for (HostMix::isolated_tenants).
using IsolatedTenants = std::set<std::string, std::less<>>;

/// Orders the events of `workload`. Requests that start at the end of its window or later are left
/// out, and with kVmsOnly its spots (rows keep their number). With `isolated` tenants it matters
/// of every request whose it is.
[[nodiscard]] EventSchedule make_schedule(const Workload& workload,
                                          ScheduledClasses classes = ScheduledClasses::kVmsAndSpots,
                                          const IsolatedTenants& isolated = {});

}  // namespace cospot
