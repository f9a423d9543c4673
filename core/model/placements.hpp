#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/model/placement_rules.hpp"

namespace cospot {

/// Demands of requests apart from capacity, and the hosts of their groups' members.
class Placements {
 public:
  /// None asks for more than room.
  Placements() = default;

  /// Args: placement_of: of each instance, from 1 on in `asked`; 0: it asks for room only.
  /// groups: what RowPlacement::group counts. All of them outlive it.
  Placements(std::span<const std::uint32_t> placement_of, std::span<const RowPlacement> asked,
             std::span<const ServerGroup> groups)
      : placement_of_(placement_of), asked_(asked), groups_(groups), members_(groups.size()) {}

  /// True if no request asks for more than capacity.
  [[nodiscard]] bool empty() const { return asked_.empty(); }

  /// The demands of an instance at the moment; nullptr: capacity only. Valid until the next call.
  [[nodiscard]] const Placement* of(InstanceIndex instance) const {
    return empty() ? nullptr : current(instance);
  }

  void placed(InstanceIndex instance, HostIndex host) {
    if (!empty()) add_member(instance, host);
  }
  /// It ended, or was evicted.
  void left(InstanceIndex instance, HostIndex host) {
    if (!empty()) remove_member(instance, host);
  }

 private:
  [[nodiscard]] const Placement* current(InstanceIndex instance) const;
  void add_member(InstanceIndex instance, HostIndex host);
  void remove_member(InstanceIndex instance, HostIndex host);
  [[nodiscard]] const RowPlacement* asked_by(InstanceIndex instance) const;

  std::span<const std::uint32_t> placement_of_;
  std::span<const RowPlacement> asked_;
  std::span<const ServerGroup> groups_;
  std::vector<std::vector<HostIndex>> members_;  // of each group
  mutable Placement now_;
};

}  // namespace cospot
