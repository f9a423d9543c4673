#pragma once

#include <cstdint>
#include <vector>

#include "core/model/running_spot.hpp"
#include "sim_harness/provider/disruptions/eviction_rule.hpp"
#include "sim_harness/provider/run/event_schedule.hpp"

namespace cospot {

/// The time that spots held their vcpus inside the window, by its use, and the customers who
/// returned. The three revenues add up to what the spots earned.
struct SpotWorkResult {
  Revenue useful = 0;
  Revenue wasted = 0;
  Revenue restoring = 0;
  std::uint64_t evicted = 0;  ///< spots that were evicted at least once
  std::uint64_t back = 0;     ///< of them: placed again at least once

  friend bool operator==(const SpotWorkResult&, const SpotWorkResult&) = default;
};

/// The work of spots over evictions and outages, by an EvictionRule.
class SpotWork {
 public:
  /// `schedule` outlives it.
  SpotWork(const EvictionRule& rule, const EventSchedule& schedule)
      : rule_(rule), schedule_(&schedule), spots_(schedule.start.size()) {}

  /// A spot holds a host from `now` on. It works as soon as its state is restored.
  void placed(InstanceIndex spot, ResourceAmount memory_mb, SimTime now);
  /// A spot leaves its host at its end.
  void ended(const RunningSpot& spot, SimTime now);
  /// A spot leaves its host before its end, by an eviction, or by an outage, which also stops the
  /// host that would save its state.
  void stopped(const RunningSpot& spot, SimTime now, bool is_evicted);

  struct Need {
    SimTime stay{0};  ///< on its next host; kNever: without end
    SimTime save{0};  ///< before it may ask for one
  };
  /// The needs of a spot that stopped().
  [[nodiscard]] const Need& need(InstanceIndex spot) const { return spots_[spot].need; }

  /// At the end of a run, for a spot that has left, or that works on. `is_gone`: it does not come
  /// back for the rest of its work.
  void add_to(SpotWorkResult& result, InstanceIndex spot, bool is_gone) const;

 private:
  struct Spot {
    SimTime works_from{0};  ///< on its present host
    SimTime rest{0};        ///< of its work, when it stopped
    Need need{};
    Revenue kept = 0;  ///< its work that no stop undid
    Revenue wasted = 0;
    Revenue restoring = 0;
    bool has_state = false;  ///< saved
    bool was_evicted = false;
    bool is_back = false;
  };

  [[nodiscard]] bool has_moves() const { return rule_.what == OnEviction::kMove; }

  EvictionRule rule_;
  const EventSchedule* schedule_;
  std::vector<Spot> spots_;
};

}  // namespace cospot
