#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "evictors/search/cover_item.hpp"

namespace cospot {

/// Tells whether `a` may replace `b` in every set: it frees as much of everything and costs no
/// more.
[[nodiscard]] constexpr bool dominates(const CoverItem& a, const CoverItem& b) {
  return a.cost <= b.cost && b.frees.fits_in(a.frees);
}

/// Which items of an ordered list dominate which, as rows of bits. Identical items do not count:
/// they replace each other, which the caller has to break by their order.
class CoverDominance {
 public:
  using Word = std::uint64_t;
  static constexpr std::size_t kWordBits = 64;

  /// Forgets all items: nothing dominates anything.
  void clear() { words_ = 0; }

  void assign(std::span<const CoverItem> items);

  [[nodiscard]] bool empty() const { return words_ == 0; }

  /// Whether one item dominates another of the same cost: then replacing it leaves a tie.
  [[nodiscard]] bool has_equal_costs() const { return has_equal_costs_; }

  /// Whether one of `set`, all of which come before `item`, dominates it. Bit i of a set is item i.
  [[nodiscard]] bool dominated_by_any(std::size_t item, std::span<const Word> set) const {
    return meets(dominators_, item, set);
  }

  /// Whether `item` dominates one of `set`, all of which come before it.
  [[nodiscard]] bool dominates_any(std::size_t item, std::span<const Word> set) const {
    return meets(dominated_, item, set);
  }

 private:
  [[nodiscard]] bool meets(const std::vector<Word>& rows, std::size_t item,
                           std::span<const Word> set) const;

  std::size_t words_ = 0;         ///< of a row
  std::vector<Word> dominators_;  ///< row i, bit j: item j < i dominates item i
  std::vector<Word> dominated_;   ///< row i, bit j: item i dominates item j < i
  bool has_equal_costs_ = false;
};

}  // namespace cospot
