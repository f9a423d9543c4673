#pragma once

#include <algorithm>
#include <cstdint>

#include "core/model/resource_vector.hpp"

namespace cospot {

/// An item of the covering problem.
struct CoverItem {
  ResourceVector frees;  ///< capped at what is missing at first
  std::int64_t cost = 0;
  std::uint32_t position = 0;  ///< identifies the item to the caller
};

[[nodiscard]] constexpr ResourceAmount capped_sum(ResourceAmount a, ResourceAmount b,
                                                  ResourceAmount cap) {
  return static_cast<ResourceAmount>(std::min<std::int64_t>(std::int64_t{a} + b, cap));
}

[[nodiscard]] constexpr ResourceVector capped_sum(const ResourceVector& a, const ResourceVector& b,
                                                  const ResourceVector& cap) {
  return {capped_sum(a.vcpus, b.vcpus, cap.vcpus),
          capped_sum(a.memory_mb, b.memory_mb, cap.memory_mb),
          capped_sum(a.disk_gb, b.disk_gb, cap.disk_gb)};
}

[[nodiscard]] constexpr bool identical(const CoverItem& a, const CoverItem& b) {
  return a.cost == b.cost && a.frees == b.frees;
}

}  // namespace cospot
