#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/model/priority_levels.hpp"
#include "core/model/sim_time.hpp"
#include "sim_harness/provider/run/run_observer.hpp"
#include "sim_harness/provider/run/timeline_day.hpp"

namespace cospot {

/// The time integral of an amount, per day. An addition counts for the rest of its day and for
/// whole days after that, until it is removed. Amounts from before the window count from its start.
class DailyLevel {
 public:
  explicit DailyLevel(SimTime window);

  void change(SimTime at, std::int64_t by);

  /// Amount x microseconds of each day.
  [[nodiscard]] std::vector<Revenue> sums() const;

 private:
  struct Day {
    std::int64_t change = 0;  ///< between the start of this day and the next
    Revenue within = 0;       ///< contribution of that change to the day itself
  };
  SimTime window_;
  std::vector<Day> days_;
};

/// Records the daily figures of a run. A copy continues from the same state, for runs that fork.
class RunTimeline final : public InstanceObserver {
 public:
  /// Referenced `levels` outlive it.
  RunTimeline(std::size_t instances, std::size_t hosts, const PriorityLevels& levels,
              SimTime window);

  void evicted(InstanceIndex victim, HostIndex host, const Request& for_vm) override;
  void placed(const Request& request, HostIndex host) override;
  void departed(InstanceIndex instance, HostIndex host, SimTime time) override;

  /// Requires a finished run.
  [[nodiscard]] std::vector<TimelineDay> days() const;

 private:
  enum Kind : std::uint8_t { kVms, kEconomy, kSpots, kKinds };

  /// An instance at its last placement.
  struct Placed {
    ResourceAmount vcpus = 0;
    Kind kind = kVms;
  };

  [[nodiscard]] Kind kind_of(const Request& request) const;
  void leave(InstanceIndex instance, HostIndex host, SimTime time);

  PriorityLevels levels_;
  SimTime window_;
  std::vector<Placed> placed_;            // by row of the workload
  std::vector<std::uint32_t> instances_;  // by host
  DailyLevel hosts_in_use_;
  std::array<DailyLevel, kKinds> running_;
  std::array<DailyLevel, kKinds> vcpus_;
  std::array<std::vector<std::uint64_t>, kKinds> evictions_;  // by day
};

}  // namespace cospot
