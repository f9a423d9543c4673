#include "evictors/search/cover_dominance.hpp"

namespace cospot {

void CoverDominance::assign(std::span<const CoverItem> items) {
  words_ = (items.size() + kWordBits - 1) / kWordBits;
  dominators_.assign(items.size() * words_, 0);
  dominated_.assign(items.size() * words_, 0);
  has_equal_costs_ = false;
  for (std::size_t i = 0; i < items.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool by_earlier = dominates(items[j], items[i]);
      const bool by_later = dominates(items[i], items[j]);
      if (by_earlier == by_later) continue;  // unrelated, or identical
      std::vector<Word>& rows = by_earlier ? dominators_ : dominated_;
      rows[i * words_ + j / kWordBits] |= Word{1} << (j % kWordBits);
      has_equal_costs_ |= items[i].cost == items[j].cost;
    }
  }
}

bool CoverDominance::meets(const std::vector<Word>& rows, std::size_t item,
                           std::span<const Word> set) const {
  for (std::size_t w = 0; w < words_; ++w) {
    if ((rows[item * words_ + w] & set[w]) != 0) return true;
  }
  return false;
}

}  // namespace cospot
