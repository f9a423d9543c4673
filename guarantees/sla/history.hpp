#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/model/host_table.hpp"
#include "core/model/request.hpp"
#include "core/model/resource_vector.hpp"
#include "core/model/sim_time.hpp"

namespace cospot {

/// One line of a History.
struct HistoryEvent {
  enum class Kind : std::uint8_t { kVmPlaced, kSpotPlaced, kVmEnded, kSpotEnded, kSpotEvicted };

  SimTime time{0};
  Kind kind = Kind::kVmPlaced;
  HostIndex host = 0;
  std::uint32_t spot = 0;  ///< of a spot: how many spots were placed before it
  ResourceVector resources{};
  SimTime promised_until = kNoPromisedEnd;  ///< of a spot
};

/// The history of some hosts: the instances that came, their hosts, and the ways in which they
/// left. Rejected requests are not in it: they take no capacity.
class History {
 public:
  /// The content of a copy.
  struct State {
    std::vector<ResourceVector> host_totals;
    std::vector<HistoryEvent> events;
    std::vector<std::pair<InstanceIndex, std::size_t>> running;  ///< the index of its placement
  };

  /// Errors: InputError without hosts, or for one without vcpus.
  explicit History(std::vector<ResourceVector> host_totals);
  /// From what `state` returned.
  explicit History(State state);

  // Errors: InputError when time goes backwards, the host is unknown, the instance runs already, or
  // what ends does not run.
  /// `promised_until`: of a spot; until then it is evicted after those that are promised nothing,
  /// or nothing any more.
  void place(const Request& request, HostIndex host, SimTime promised_until = kNever);
  void end(InstanceIndex instance, SimTime time);
  void evict(InstanceIndex spot, SimTime time);

  [[nodiscard]] std::span<const ResourceVector> host_totals() const { return totals_; }
  [[nodiscard]] std::span<const HistoryEvent> events() const { return events_; }
  /// The placements of VMs and of spots that lasted into a time, and the spots evicted in it.
  struct Counts {
    std::uint64_t vms = 0;
    std::uint64_t spots = 0;
    std::uint64_t evictions = 0;
  };
  /// The counts of [from, until].
  [[nodiscard]] Counts counts_between(SimTime from, SimTime until) const;
  /// The running instances in order of their placement.
  [[nodiscard]] State state() const;

 private:
  void check_time(SimTime time) const;
  [[nodiscard]] HistoryEvent take_running(InstanceIndex instance, SimTime time);

  std::vector<ResourceVector> totals_;
  std::vector<HistoryEvent> events_;
  std::unordered_map<InstanceIndex, std::size_t> running_;  // its placement; never iterated
  std::uint32_t spots_placed_ = 0;
};

}  // namespace cospot
