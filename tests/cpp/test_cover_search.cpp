// The parts of the eviction search, each against what it is defined by.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "core/random.hpp"
#include "evictors/search/cover_dominance.hpp"
#include "evictors/search/cover_relaxation.hpp"
#include "evictors/search/cover_tail.hpp"

namespace cospot {
namespace {

using Rows = CoverRelaxation::Rows;

double product(const Rows& a, const Rows& b) {
  double sum = 0;
  for (std::size_t r = 0; r < a.size(); ++r) sum += a[r] * b[r];
  return sum;
}

/// Prices at which an item is taken neither at a loss nor at a gain: factors * prices = value.
struct Even {
  Rows factors{};
  double value = 0;
};

/// The prices that four of them have in common, if these meet in one point (Gauss and Jordan).
std::optional<Rows> common_prices(std::array<Even, 4> lines) {
  for (std::size_t k = 0; k < 4; ++k) {
    const auto size = [k](const Even& line) { return std::abs(line.factors[k]); };
    const auto largest = std::ranges::max_element(lines.begin() + k, lines.end(), {}, size);
    if (size(*largest) < 1e-9) return std::nullopt;
    std::swap(lines[k], *largest);
    for (Even& line : lines) {
      const double times = &line == &lines[k] ? 0 : line.factors[k] / lines[k].factors[k];
      for (std::size_t r = 0; r < 4; ++r) line.factors[r] -= times * lines[k].factors[r];
      line.value -= times * lines[k].value;
    }
  }
  Rows prices{};
  for (std::size_t k = 0; k < 4; ++k) prices[k] = lines[k].value / lines[k].factors[k];
  return prices;
}

/// The dual of a relaxation: what prices are worth.
struct Dual {
  std::vector<Even> items{};
  Rows required{};

  [[nodiscard]] double worth(const Rows& prices) const {
    double sum = product(required, prices);
    for (const Even& item : items) {
      sum += std::min(0.0, item.value - product(item.factors, prices));
    }
    return sum;
  }
  /// It is concave with flat pieces, so it is greatest where four items or axes meet.
  [[nodiscard]] double greatest() const {
    std::vector<Even> lines = items;
    for (std::size_t r = 0; r < 4; ++r) lines.emplace_back().factors[r] = 1;
    double best = 0;
    for (std::size_t a = 0; a < lines.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        for (std::size_t c = 0; c < b; ++c) {
          for (std::size_t d = 0; d < c; ++d) {
            const auto prices = common_prices({lines[a], lines[b], lines[c], lines[d]});
            if (prices && std::ranges::min(*prices) > -1e-9) best = std::max(best, worth(*prices));
          }
        }
      }
    }
    return best;
  }
};

TEST_CASE("CoverRelaxation: no prices are worth more, of all points where four items are even") {
  Random random(12);
  CoverRelaxation relaxation;
  for (int round = 0; round < 150; ++round) {
    CAPTURE(round);
    Dual costs, counts{.required = {0, 0, 0, -1}};
    const std::size_t items = 2 + random.below(5);
    std::vector<double> cost(items);
    std::vector<std::array<double, 3>> amounts(items);
    std::array<double, 3> missing{};
    for (std::size_t i = 0; i < items; ++i) {
      cost[i] = static_cast<double>(1 + random.below(round % 2 == 0 ? 3 : 1000));
      for (std::size_t r = 0; r < 3; ++r) {
        amounts[i][r] = static_cast<double>(random.below(6));
        missing[r] += amounts[i][r];
      }
    }
    relaxation.clear();
    for (std::size_t r = 0; r < 3; ++r) {
      missing[r] *= static_cast<double>(random.below(5)) / 4;  // up to all there is
      if (missing[r] == 0) continue;
      relaxation.require(r);
      costs.required[r] = counts.required[r] = 1;
    }
    for (std::size_t i = 0; i < items; ++i) {
      std::array<double, 3> share{};
      for (std::size_t r = 0; r < 3; ++r)
        share[r] = missing[r] == 0 ? 0 : amounts[i][r] / missing[r];
      relaxation.add(cost[i], share);
      costs.items.push_back({{share[0], share[1], share[2], 0}, cost[i]});
    }
    const double least = costs.greatest();
    const Rows prices = relaxation.price_costs();
    CHECK(costs.worth(prices) == doctest::Approx(least));
    CHECK(std::ranges::min(prices) >= 0);
    CHECK(prices[3] == 0);
    // Of the items that stand for a row, each gets cheaper by as much as its row asks.
    const auto basic = relaxation.basic_items();
    Rows error{};
    for (std::size_t r = 0; r < 4; ++r) {
      if (basic[r] != CoverRelaxation::kNoItem) error[r] = static_cast<double>(random.below(9)) - 4;
    }
    const Rows change = relaxation.correction(error);
    for (std::size_t r = 0; r < 4; ++r) {
      if (basic[r] == CoverRelaxation::kNoItem) continue;
      CHECK(product(change, costs.items[basic[r]].factors) == doctest::Approx(error[r]));
    }
    if (least == 0) continue;
    const double limit = least * (1 + static_cast<double>(1 + random.below(8)) / 8);
    for (std::size_t i = 0; i < items; ++i) {
      counts.items.push_back({costs.items[i].factors, 1});
      counts.items[i].factors[3] = -cost[i] / limit;
    }
    const Rows by_count = relaxation.price_counts(limit);
    CHECK(counts.worth(by_count) == doctest::Approx(counts.greatest()));
    CHECK(std::ranges::min(by_count) >= 0);
  }
}

/// The sets of some items, as bits, that have with each item all those that dominate it, and of
/// identical ones the earlier.
std::vector<std::uint32_t> closed_sets(std::span<const CoverItem> items) {
  std::vector<std::uint32_t> sets;
  for (std::uint32_t set = 0; set < 1U << items.size(); ++set) {
    bool is_closed = true;
    for (std::size_t in = 0; in < items.size(); ++in) {
      for (std::size_t out = 0; out < items.size(); ++out) {
        if ((set >> in & 1U) == 0 || (set >> out & 1U) != 0) continue;
        if (!dominates(items[out], items[in])) continue;
        is_closed = is_closed && out > in && dominates(items[in], items[out]);
      }
    }
    if (is_closed) sets.push_back(set);
  }
  return sets;
}

/// Where a tail of at most `most` sets starts: only identical items that all fit in join it.
std::size_t tail_start(std::span<const CoverItem> items, std::size_t most) {
  std::size_t depth = items.size();
  while (depth > 0) {
    const auto is_same = [&](const CoverItem& item) { return identical(item, items[depth - 1]); };
    const auto start =
        static_cast<std::size_t>(std::ranges::find_if(items, is_same) - items.begin());
    const std::size_t choices = depth - start + 1;
    if (items.size() - start > 32 || closed_sets(items.subspan(depth)).size() * choices > most)
      break;
    depth = start;
  }
  return depth;
}

TEST_CASE("CoverTail: lists the sets that miss no dominating item, and what each comes to") {
  Random random(13);
  const auto amount = [&](std::uint64_t most) {
    return static_cast<ResourceAmount>(random.below(most + 1));
  };
  CoverTail tail;
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    std::vector<CoverItem> items(1 + random.below(9));
    for (CoverItem& item : items) {
      item = {.frees = {amount(2), amount(3), amount(1)}, .cost = 1 + amount(2)};
    }
    std::ranges::sort(items, [](const CoverItem& a, const CoverItem& b) {
      return std::tuple(a.cost, a.frees.vcpus, a.frees.memory_mb, a.frees.disk_gb) <
             std::tuple(b.cost, b.frees.vcpus, b.frees.memory_mb, b.frees.disk_gb);
    });
    if (round % 2 == 0) std::ranges::reverse(items);
    const ResourceVector cap{4, 5, 2};
    const std::size_t most = 1 + random.below(80);
    tail.build(items, cap, &ResourceVector::memory_mb, most);
    REQUIRE(tail.depth() == tail_start(items, most));
    const auto last = std::span(items).subspan(tail.depth());
    std::vector<std::uint32_t> listed;
    for (const CoverTail::Set& set : tail.from(0)) {
      listed.push_back(set.items);
      ResourceVector frees;
      std::int64_t cost = 0;
      for (std::size_t i = 0; i < last.size(); ++i) {
        if ((set.items >> i & 1U) == 0) continue;
        frees += last[i].frees;
        cost += last[i].cost;
      }
      CHECK(set.frees == capped_sum(frees, {}, cap));
      CHECK(set.cost == cost);
    }
    std::ranges::sort(listed);
    CHECK(listed == closed_sets(last));
    for (ResourceAmount least = 0; least <= cap.memory_mb + 1; ++least) {
      const auto from = tail.from(least);
      CHECK(std::ranges::is_sorted(from, {}, [](const auto& set) { return set.frees.memory_mb; }));
      CHECK(std::ranges::count_if(tail.from(0), [&](const auto& set) {
              return set.frees.memory_mb >= least;
            }) == static_cast<std::ptrdiff_t>(from.size()));
    }
  }
  // Each dominates the next: only the sets of the first few count. They have 32 bits.
  std::vector<CoverItem> chain;
  for (ResourceAmount i = 0; i < 40; ++i) chain.push_back({.frees = {40 - i}, .cost = 1 + i});
  tail.build(chain, {100}, &ResourceVector::vcpus, 1000);
  CHECK(tail.depth() == 8);
  CHECK(tail.from(0).size() == 33);
}

}  // namespace
}  // namespace cospot
