#include "evictors/search/cover_tail.hpp"

#include <algorithm>

#include "evictors/search/cover_dominance.hpp"

namespace cospot {
namespace {

constexpr std::size_t kMostItems = 32;  // bits of Set::items

}  // namespace

void CoverTail::build(std::span<const CoverItem> items, const ResourceVector& cap, Amount key,
                      std::size_t most_sets) {
  key_ = key;
  sets_.assign(1, {});
  depth_ = items.size();
  while (depth_ > 0) {
    // Whoever skips one of identical items skips them all, so the tail must not start among them.
    std::size_t start = depth_ - 1;
    while (start > 0 && identical(items[start - 1], items[depth_ - 1])) --start;
    const std::size_t alike = depth_ - start;
    if (items.size() - start > kMostItems || sets_.size() * (alike + 1) > most_sets) break;
    while (depth_ > start) add(items.subspan(--depth_), cap);
  }
  keys_.clear();
  for (const Set& set : sets_) keys_.push_back(set.frees.*key_);
}

/// Doubles the sets by the first of `items`, less those that miss a dominating item.
void CoverTail::add(std::span<const CoverItem> items, const ResourceVector& cap) {
  const CoverItem& added = items.front();
  std::uint32_t needed = 0;  // with `added`, for each of these dominates it
  std::uint32_t barred = 0;  // without it, for it dominates each of these
  for (std::size_t i = 1; i < items.size(); ++i) {
    const bool by_added = dominates(added, items[i]);
    if (by_added) barred |= std::uint32_t{1} << i;
    if (!by_added && dominates(items[i], added)) needed |= std::uint32_t{1} << i;
  }
  without_.clear();
  with_.clear();
  for (Set set : sets_) {
    set.items <<= 1;
    if ((set.items & barred) == 0) without_.push_back(set);
    if ((set.items & needed) != needed) continue;
    with_.push_back({.frees = capped_sum(set.frees, added.frees, cap),
                     .items = set.items | 1,
                     .cost = set.cost + added.cost});
  }
  sets_.resize(without_.size() + with_.size());
  std::merge(without_.begin(), without_.end(), with_.begin(), with_.end(), sets_.begin(),
             [this](const Set& a, const Set& b) { return a.frees.*key_ < b.frees.*key_; });
}

std::span<const CoverTail::Set> CoverTail::from(ResourceAmount least) const {
  const auto first = std::lower_bound(keys_.begin(), keys_.end(), least);
  return std::span(sets_).subspan(static_cast<std::size_t>(first - keys_.begin()));
}

}  // namespace cospot
