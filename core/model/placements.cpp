#include "core/model/placements.hpp"

#include <algorithm>

namespace cospot {

const RowPlacement* Placements::asked_by(InstanceIndex instance) const {
  const std::uint32_t number = placement_of_[instance];
  return number == 0 ? nullptr : &asked_[number - 1];
}

const Placement* Placements::current(InstanceIndex instance) const {
  const RowPlacement* asked = asked_by(instance);
  if (asked == nullptr) return nullptr;
  now_ = {.rules = &asked->rules};
  if (asked->group != RowPlacement::kNoGroup) {
    now_.group = &groups_[asked->group];
    now_.members = members_[asked->group];
  }
  return &now_;
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

}  // namespace cospot
