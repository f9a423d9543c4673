#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/model/request.hpp"

namespace cospot {

/// The priority level of each instance: 0 is the highest, an instance may displace those of lower
/// levels, and is displaced only by higher ones. Two levels are VMs and spots.
struct PriorityLevels {
  std::size_t count = 2;
  /// The level of each instance, by its number; outlives its users. Empty: VMs are 0, spots 1.
  std::span<const std::uint8_t> level_of{};

  /// True if there are only spots and VMs, so that levels need no lookup.
  [[nodiscard]] bool are_classes() const { return level_of.empty(); }

  [[nodiscard]] std::size_t of(const Request& request) const {
    if (are_classes()) return request.is_spot() ? 1 : 0;
    return level_of[request.instance];
  }
  /// The level of an instance that may be displaced.
  [[nodiscard]] std::size_t of_displaceable(InstanceIndex instance) const {
    return are_classes() ? 1 : level_of[instance];
  }
};

}  // namespace cospot
