#pragma once

#include <vector>

#include "core/model/placement_rules.hpp"
#include "core/ranking/chain.hpp"
#include "sim_harness/engine/event_schedule.hpp"

namespace cospot {

/// What the requests of a run ask beside room, and where the members of their groups are.
class Placements {
 public:
  /// `schedule` outlives it.
  explicit Placements(const EventSchedule& schedule)
      : schedule_(&schedule),
        is_empty_(!schedule.has_placements()),
        members_(schedule.groups.size()) {}

  /// Whether any request asks for more than room.
  [[nodiscard]] bool empty() const { return is_empty_; }

  /// What an instance asks, as things are now; nullptr: room only. Valid until the next call.
  [[nodiscard]] const Placement* of(InstanceIndex instance) const;

  void placed(InstanceIndex instance, HostIndex host) {
    if (!empty()) add_member(instance, host);
  }
  /// It ended, or was evicted.
  void left(InstanceIndex instance, HostIndex host) {
    if (!empty()) remove_member(instance, host);
  }

 private:
  void add_member(InstanceIndex instance, HostIndex host);
  void remove_member(InstanceIndex instance, HostIndex host);
  [[nodiscard]] const RowPlacement* asked_by(InstanceIndex instance) const;

  const EventSchedule* schedule_;
  bool is_empty_;                                // asked at every event
  std::vector<std::vector<HostIndex>> members_;  // of each group
  mutable Placement asked_;
};

/// Refuses to let pass in silence what requests ask beside room.
///
/// Errors: ConfigError when the schedule has such requests and the chain does not look at that: a
/// mistake of whoever made the chain, for every study asks make_chain for the filters.
void require_placements_seen(const EventSchedule& schedule, const Chain& chain);

}  // namespace cospot
