#include "guarantees/pricing/partition.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/errors.hpp"
#include "guarantees/pricing/optimal_partition.hpp"

namespace cospot {
namespace {

/// Two values that differ by less are the same but for rounding.
constexpr double kSameBelow = 1e-12;

/// Size x price, what section III-B compares: what the servers hold counts, not their idle time.
double listed_value(const ClassSums& sums, const ClassPricing& pricing) {
  return sums.size * sums.price(pricing);
}

Partition equal(std::size_t servers, std::size_t classes) {
  Partition partition;
  std::size_t first = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    partition.first.push_back(first);
    first += servers / classes + (c < servers % classes ? 1 : 0);
  }
  return partition;
}

/// The beginning of the class that ends before `last`.
std::size_t greedy_first(const IdleCapacity& capacity, std::size_t last,
                         const ClassPricing& pricing) {
  std::size_t first = last - 1;
  double value = listed_value(capacity.between(first, last), pricing);
  for (; first > 0; --first) {
    const double more = listed_value(capacity.between(first - 1, last), pricing);
    if (more < value * (1 - kSameBelow)) break;
    value = more;
  }
  return first;
}

std::size_t marginal_first(const IdleCapacity& capacity, std::size_t last,
                           const ClassPricing& pricing) {
  std::size_t first = last - 1;
  double value = listed_value(capacity.between(first, last), pricing);
  for (; first > 0; --first) {
    const double alone = listed_value(capacity.between(first - 1, first), pricing);
    const double more = listed_value(capacity.between(first - 1, last), pricing);
    if (more < (value + alone) * (1 - kSameBelow)) break;
    value = more;
  }
  return first;
}

std::size_t lookahead_first(const IdleCapacity& capacity, std::size_t last,
                            const ClassPricing& pricing) {
  std::size_t best = 0;
  double most = -1;
  for (std::size_t first = last; first-- > 0;) {
    const double value = capacity.between(first, last).revenue(pricing) +
                         capacity.between(0, first).revenue(pricing);
    if (value > most * (1 + kSameBelow)) {
      most = value;
      best = first;
    }
  }
  return best;
}

template <class First>
Partition from_the_top(const IdleCapacity& capacity, std::size_t classes, const First& first_of) {
  Partition partition;
  std::size_t last = capacity.size();
  while (last > 0) {
    last = partition.first.size() + 1 == classes ? 0 : first_of(last);
    partition.first.push_back(last);
  }
  std::ranges::reverse(partition.first);
  return partition;
}

bool is_monotone(const IdleCapacity& capacity) {
  bool rises = false, falls = false;
  double before = 0;
  for (std::size_t i = 0; i < capacity.size(); ++i) {
    const ClassSums server = capacity.between(i, i + 1);
    const double rate = server.revocations / server.idle_hours;
    if (i > 0) {
      rises = rises || rate > before;
      falls = falls || rate < before;
    }
    before = rate;
  }
  return !(rises && falls);
}

Partition optimal(const IdleCapacity& capacity, std::size_t classes, const ClassPricing& pricing) {
  constexpr std::size_t kFew = 600;  // all pairs are fastest
  if (pricing.mttr == MttrRule::kMean) {
    if (capacity.size() > kMostServersOfMean) {
      throw ConfigError(
          fmt::format("the optimal partition with the mean of MTTRs is searched among all pairs of "
                      "servers: {} are too many, expected at most {}, or pooled MTTR",
                      capacity.size(), kMostServersOfMean));
    }
    return optimal_by_pairs(capacity, classes, pricing);
  }
  if (capacity.size() <= kFew) return optimal_by_pairs(capacity, classes, pricing);
  return is_monotone(capacity) ? optimal_by_halving(capacity, classes, pricing)
                               : optimal_by_blocks(capacity, classes, pricing);
}

}  // namespace

Partition partition(const IdleCapacity& capacity, PartitionRule rule, std::size_t classes,
                    const ClassPricing& pricing) {
  if (classes == 0) throw ConfigError("classes is 0, expected at least 1");
  if (classes > capacity.size()) {
    throw ConfigError(fmt::format(
        "classes is {}, expected at most {}: of {} servers so many are ever idle for 10 minutes",
        classes, capacity.size(), capacity.ranks()));
  }
  const auto top_down = [&](auto first_of) {
    return from_the_top(capacity, classes,
                        [&](std::size_t last) { return first_of(capacity, last, pricing); });
  };
  switch (rule) {
    case PartitionRule::kEqual:
      return equal(capacity.size(), classes);
    case PartitionRule::kGreedy:
      return top_down(greedy_first);
    case PartitionRule::kMarginal:
      return top_down(marginal_first);
    case PartitionRule::kLookahead:
      return top_down(lookahead_first);
    case PartitionRule::kOptimal:
      break;
  }
  return optimal(capacity, classes, pricing);
}

ClassSums sums_of(const IdleCapacity& capacity, const Partition& partition, std::size_t c) {
  const bool is_last = c + 1 == partition.classes();
  return capacity.between(partition.first[c], is_last ? capacity.size() : partition.first[c + 1]);
}

double revenue(const IdleCapacity& capacity, const Partition& partition,
               const ClassPricing& pricing) {
  double sum = 0;
  for (std::size_t c = 0; c < partition.classes(); ++c) {
    sum += sums_of(capacity, partition, c).revenue(pricing);
  }
  return sum;
}

double useful_hours(const IdleCapacity& capacity, const Partition& partition,
                    const ClassPricing& pricing) {
  double sum = 0;
  for (std::size_t c = 0; c < partition.classes(); ++c) {
    const ClassSums sums = sums_of(capacity, partition, c);
    sum += sums.idle_hours * sums.performance(pricing);
  }
  return sum;
}

std::vector<std::size_t> class_sizes(const IdleCapacity& capacity, const Partition& partition) {
  std::vector<std::size_t> sizes;
  std::size_t end = capacity.ranks();
  for (std::size_t c = partition.classes(); c-- > 0;) {
    const std::size_t first = partition.first[c];
    const std::size_t begin = first == 0 ? 0 : capacity.rank(first - 1) + 1;
    sizes.push_back(end - begin);
    end = begin;
  }
  return sizes;
}

}  // namespace cospot
