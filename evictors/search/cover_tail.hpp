#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/model/resource_vector.hpp"
#include "evictors/search/cover_item.hpp"

namespace cospot {

/// All subsets of the last few items of a list, sorted by the amount they free of one resource. The
/// best way to finish is looked up instead of searched (Horowitz and Sahni's meet in the middle).
///
/// Subsets that take an item without one that dominates it are left out: replacing the item is no
/// worse.
class CoverTail {
 public:
  using Amount = ResourceAmount ResourceVector::*;

  struct Set {
    ResourceVector frees;     ///< together, capped
    std::uint32_t items = 0;  ///< bit i: item depth() + i
    std::int64_t cost = 0;
  };

  /// Lists the subsets of the last items, as many items as yield at most `most_sets` subsets.
  void build(std::span<const CoverItem> items, const ResourceVector& cap, Amount key,
             std::size_t most_sets);

  void clear() { depth_ = SIZE_MAX; }

  /// The first item of the list; SIZE_MAX when there is none.
  [[nodiscard]] std::size_t depth() const { return depth_; }

  /// The subsets that free `least` or more of the key resource, in ascending order of that amount.
  [[nodiscard]] std::span<const Set> from(ResourceAmount least) const;

 private:
  void add(std::span<const CoverItem> items, const ResourceVector& cap);

  std::size_t depth_ = SIZE_MAX;
  Amount key_ = &ResourceVector::vcpus;
  std::vector<Set> sets_;
  std::vector<ResourceAmount> keys_;  ///< of sets_; contiguous for a fast binary search
  std::vector<Set> without_;          ///< while building: the sets before the last item was added
  std::vector<Set> with_;
};

}  // namespace cospot
