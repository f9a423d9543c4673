#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/model/request.hpp"

namespace cospot {

/// Which instance is of which priority level: 0 is the highest, an instance may displace those of
/// lower levels, and is displaced only by higher ones. Two levels are VMs and spots.
struct PriorityLevels {
  std::size_t count = 2;
  /// Of each instance, by its number; outlives whoever uses it. Empty: VMs are 0, spots 1.
  std::span<const std::uint8_t> level_of{};

  /// Whether spots and VMs are all there is, so that nobody need look up a level.
  [[nodiscard]] bool are_classes() const { return level_of.empty(); }

  [[nodiscard]] std::size_t of(const Request& request) const {
    if (are_classes()) return request.is_spot() ? 1 : 0;
    return level_of[request.instance];
  }
  /// Of an instance that may be displaced.
  [[nodiscard]] std::size_t of_displaceable(InstanceIndex instance) const {
    return are_classes() ? 1 : level_of[instance];
  }
};

}  // namespace cospot
