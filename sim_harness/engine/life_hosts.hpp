#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/handshake/handshake.hpp"
#include "core/model/host_table.hpp"
#include "core/model/instance_table.hpp"
#include "core/model/vm_load.hpp"
#include "core/ranking/host_ranking.hpp"
#include "sim_harness/engine/allocation_timer.hpp"
#include "sim_harness/engine/allocator.hpp"
#include "sim_harness/engine/event_schedule.hpp"
#include "sim_harness/engine/placements.hpp"
#include "sim_harness/engine/run_observer.hpp"

namespace cospot {

/// The datacenter of a run with a LifePlan: who is where, which hosts take nobody, and which host
/// an instance gets. The only writer of its tables. Decisions are those of SimulationEngine.
class LifeHosts {
 public:
  /// `schedule` outlives it.
  LifeHosts(const EventSchedule& schedule, HostTable hosts, Allocator allocator);

  [[nodiscard]] const HostTable& table() const { return hosts_; }
  [[nodiscard]] HostIndex host_of(InstanceIndex instance) const {
    return instances_.host_of(instance);
  }
  [[nodiscard]] std::span<const RunningSpot> spots_on(HostIndex host) const {
    return instances_.spots_on(host);
  }
  /// In the order in which they came to the host.
  [[nodiscard]] std::span<const InstanceIndex> vms_on(HostIndex host) const {
    return vms_on_[host];
  }
  [[nodiscard]] const Placement* placement_of(InstanceIndex instance) const {
    return placements_.of(instance);
  }

  // Which host takes a request; kNoHost: none.

  /// For a VM, by the handshake; who has to go for it is in victims().
  [[nodiscard]] HostIndex choose_for_vm(const Request& request, AllocationTimer& timer);
  /// The same by a whole offer, which the observer sees.
  [[nodiscard]] HostIndex choose_for_vm(const Request& request, RunObserver& observer);
  [[nodiscard]] std::span<const InstanceIndex> victims() const { return victims_; }
  /// For a VM, the first-ranked host on which nobody has to go.
  [[nodiscard]] HostIndex choose_beside_spots(const Request& request);
  [[nodiscard]] HostIndex choose_for_spot(const Request& request);

  void place_vm(InstanceIndex instance, const ResourceVector& size, HostIndex host);
  /// Returns its host.
  HostIndex remove_vm(InstanceIndex instance, const ResourceVector& size);
  /// A VM that stays gets another size, for which there is room beside the others.
  void resize_vm(InstanceIndex instance, const ResourceVector& from, const ResourceVector& to);
  void place_spot(const RunningSpot& spot, HostIndex host);
  RunningSpot remove_spot(InstanceIndex instance);

  // A host may be out for several reasons; it takes instances when each is over.
  void take_out(HostIndex host);
  void take_back(HostIndex host);
  [[nodiscard]] bool is_out(HostIndex host) const { return reasons_out_[host] > 0; }

  // A VM's room is given up, and taken again where it was, or left for another host: for a decision
  // in between.
  HostIndex lift_vm(InstanceIndex instance, const ResourceVector& size);
  void put_back_vm(InstanceIndex instance, const ResourceVector& size, HostIndex from);
  void set_down_vm(InstanceIndex instance, const ResourceVector& size, HostIndex from,
                   HostIndex to);

 private:
  void add_vm(InstanceIndex instance, const ResourceVector& size, HostIndex host);
  void withhold(HostIndex host);
  void release_last(HostIndex host);
  void vm_changed(HostIndex host);
  void spots_changed(HostIndex host);
  void mark_stale(HostIndex host);
  [[nodiscard]] auto spots_of_host() const {
    return [this](HostIndex host) { return instances_.spots_on(host); };
  }

  HostTable hosts_;
  InstanceTable instances_;
  Placements placements_;
  Allocator allocator_;
  std::unique_ptr<HostRanking> vm_ranking_, spot_ranking_;
  bool vm_ranking_watches_spots_;
  std::optional<VmLoad> load_;  // where OTN follows it
  Handshake handshake_;
  std::vector<std::vector<InstanceIndex>> vms_on_;
  std::vector<std::uint32_t> reasons_out_;             // of each host
  std::vector<std::vector<ResourceVector>> withheld_;  // of each host that is out, so nobody fits
  std::vector<InstanceIndex> victims_;
  std::vector<HostIndex> stale_;        // hosts of whose changes the spot ranking has not heard
  std::vector<std::uint8_t> is_stale_;  // of each host
};

}  // namespace cospot
