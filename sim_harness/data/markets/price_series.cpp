#include "sim_harness/data/markets/price_series.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace cospot {
namespace {

using Levels = std::vector<std::vector<MicroUsd>>;

template <class Pick>
Levels levels_of(const std::vector<PriceChange>& changes, const Pick& pick) {
  Levels levels(1);
  for (const PriceChange& change : changes) levels[0].push_back(change.price);
  for (std::size_t half = 1; 2 * half <= changes.size(); half *= 2) {
    const std::vector<MicroUsd>& below = levels.back();
    std::vector<MicroUsd> next(changes.size() - 2 * half + 1);
    for (std::size_t i = 0; i < next.size(); ++i) next[i] = pick(below[i], below[i + half]);
    levels.push_back(std::move(next));
  }
  return levels;
}

/// The first index from `at` on that satisfies `is_found`, which holds for a level's value if and
/// only if it holds for one of its prices.
template <class Found>
std::size_t search(const Levels& levels, std::size_t at, const Found& is_found) {
  for (std::size_t level = levels.size(); level-- > 0;) {
    const std::vector<MicroUsd>& values = levels[level];
    while (at < values.size() && !is_found(values[at])) at += std::size_t{1} << level;
  }
  return at;
}

}  // namespace

PriceSeries::PriceSeries(std::vector<PriceChange> changes, Seconds end)
    : changes_(std::move(changes)), end_(std::max(end, changes_.back().time)) {
  sums_.push_back(0);
  counts_.push_back(0);
  for (const PriceChange& change : changes_) {
    const bool has_capacity = change.price < kNoCapacityPrice;
    const MicroUsd before = charged_.empty() ? 0 : charged_.back();  // nobody runs before the first
    charged_.push_back(has_capacity ? change.price : before);
    sums_.push_back(sums_.back() + (has_capacity ? change.price : 0));
    counts_.push_back(counts_.back() + (has_capacity ? 1 : 0));
  }
  low_ = levels_of(changes_, [](MicroUsd a, MicroUsd b) { return std::min(a, b); });
  high_ = levels_of(changes_, [](MicroUsd a, MicroUsd b) { return std::max(a, b); });
}

std::size_t PriceSeries::index(Seconds time) const {
  const auto after =
      std::upper_bound(changes_.begin(), changes_.end(), time,
                       [](Seconds at, const PriceChange& change) { return at < change.time; });
  return after == changes_.begin() ? 0 : static_cast<std::size_t>(after - changes_.begin()) - 1;
}

Seconds PriceSeries::first_at_or_above(MicroUsd bid, Seconds from) const {
  const std::size_t now = index(from);
  if (changes_[now].price >= bid) return from;
  const std::size_t at = search(high_, now, [bid](MicroUsd price) { return price >= bid; });
  return at < changes_.size() ? changes_[at].time : kNoTime;
}

Seconds PriceSeries::first_below(MicroUsd bid, Seconds from) const {
  const std::size_t now = index(from);
  if (changes_[now].price < bid) return from;
  const std::size_t at = search(low_, now, [bid](MicroUsd price) { return price < bid; });
  return at < changes_.size() ? changes_[at].time : kNoTime;
}

MicroUsd PriceSeries::lowest(Seconds from, Seconds to) const {
  const std::size_t first = index(from), last = index(to);
  const auto level = static_cast<std::size_t>(std::bit_width(last - first + 1) - 1);
  return std::min(low_[level][first], low_[level][last + 1 - (std::size_t{1} << level)]);
}

MicroUsd PriceSeries::mean_of_values(Seconds from, Seconds to) const {
  const std::size_t first = index(from), last = index(to);
  const std::int64_t count = counts_[last + 1] - counts_[first];
  return count == 0 ? kNoCapacityPrice : (sums_[last + 1] - sums_[first]) / count;
}

std::int64_t PriceSeries::price_seconds(Seconds from, Seconds to) const {
  std::int64_t sum = 0;
  for (std::size_t i = index(from); from < to; ++i) {
    const Seconds until = i + 1 < changes_.size() ? std::min(to, changes_[i + 1].time) : to;
    sum += charged_[i] * (until - from);
    from = until;
  }
  return sum;
}

PriceSeries::InBid PriceSeries::in_bid(MicroUsd bid, Seconds from, Seconds to) const {
  InBid result;
  while (from < to) {
    const Seconds start = first_below(bid, from);
    if (start >= to) break;
    const Seconds out = first_at_or_above(bid, start);
    result.below += std::min(out, to) - start;
    if (out > to) break;
    ++result.revocations;
    from = out;
  }
  return result;
}

}  // namespace cospot
