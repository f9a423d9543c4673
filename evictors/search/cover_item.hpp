#pragma once

#include <cstdint>

#include "core/model/resource_vector.hpp"

namespace cospot {

/// An item of the covering problem.
struct CoverItem {
  ResourceVector frees;  ///< capped at what is missing at first
  std::int64_t cost = 0;
  std::uint32_t position = 0;  ///< identifies the item to the caller
};

[[nodiscard]] constexpr bool identical(const CoverItem& a, const CoverItem& b) {
  return a.cost == b.cost && a.frees == b.frees;
}

}  // namespace cospot
