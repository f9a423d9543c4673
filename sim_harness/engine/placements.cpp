#include "sim_harness/engine/placements.hpp"

#include <algorithm>

#include "core/errors.hpp"

namespace cospot {

const RowPlacement* Placements::asked_by(InstanceIndex instance) const {
  if (empty()) return nullptr;
  const std::uint32_t number = schedule_->placement_of[instance];
  return number == 0 ? nullptr : &schedule_->placements[number - 1];
}

const Placement* Placements::of(InstanceIndex instance) const {
  const RowPlacement* asked = asked_by(instance);
  if (asked == nullptr) return nullptr;
  asked_ = {.rules = &asked->rules};
  if (asked->group != RowPlacement::kNoGroup) {
    asked_.group = &schedule_->groups[asked->group];
    asked_.members = members_[asked->group];
  }
  return &asked_;
}

void Placements::add_member(InstanceIndex instance, HostIndex host) {
  const RowPlacement* asked = asked_by(instance);
  if (asked == nullptr || asked->group == RowPlacement::kNoGroup) return;
  members_[asked->group].push_back(host);
}

void Placements::remove_member(InstanceIndex instance, HostIndex host) {
  const RowPlacement* asked = asked_by(instance);
  if (asked == nullptr || asked->group == RowPlacement::kNoGroup) return;
  std::vector<HostIndex>& members = members_[asked->group];
  members.erase(std::ranges::find(members, host));
}

void require_placements_seen(const EventSchedule& schedule, const Chain& chain) {
  if (!schedule.has_placements()) return;
  const bool sees = std::ranges::any_of(
      chain.filters(), [](const auto& filter) { return filter->scope() != FilterScope::kAny; });
  if (sees) return;
  throw ConfigError(
      "the workload asks for zones, extra specs or server groups, or hosts are kept for tenants, "
      "and no filter of the chain looks at that; expected Nova's filters of them, with which "
      "make_chain makes chains on demand");
}

}  // namespace cospot
