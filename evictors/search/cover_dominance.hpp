#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "evictors/search/cover_item.hpp"

namespace cospot {

/// Tells whether `a` can replace `b` in every set: it frees at least as much of each resource and
/// costs no more.
[[nodiscard]] constexpr bool dominates(const CoverItem& a, const CoverItem& b) {
  return a.cost <= b.cost && b.frees.fits_in(a.frees);
}

/// The dominance relation among the items of an ordered list, as rows of bits. Identical items are
/// left out: each replaces the other, so the caller breaks the tie by their order.
class CoverDominance {
 public:
  using Word = std::uint64_t;
  static constexpr std::size_t kWordBits = 64;

  /// Forgets all items: nothing dominates anything.
  void clear() { words_ = 0; }

  void assign(std::span<const CoverItem> items);

  [[nodiscard]] bool empty() const { return words_ == 0; }

  /// True if some item dominates another of the same cost: replacing that one leaves a tie.
  [[nodiscard]] bool has_equal_costs() const { return has_equal_costs_; }

  /// True if an item of `set` dominates `item`. All of `set` come before `item`; bit i is item i.
  [[nodiscard]] bool dominated_by_any(std::size_t item, std::span<const Word> set) const {
    return meets(dominators_, item, set);
  }

  /// True if `item` dominates an item of `set`. All of `set` come before `item`.
  [[nodiscard]] bool dominates_any(std::size_t item, std::span<const Word> set) const {
    return meets(dominated_, item, set);
  }

 private:
  [[nodiscard]] bool meets(const std::vector<Word>& rows, std::size_t item,
                           std::span<const Word> set) const;

  std::size_t words_ = 0;         ///< words in a row
  std::vector<Word> dominators_;  ///< row i, bit j: item j < i dominates item i
  std::vector<Word> dominated_;   ///< row i, bit j: item i dominates item j < i
  bool has_equal_costs_ = false;
};

}  // namespace cospot
