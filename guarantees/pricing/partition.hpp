#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "guarantees/pricing/capacity_class.hpp"

namespace cospot {

/// The rule by which servers are divided into classes of neighbouring ranks.
enum class PartitionRule {
  kEqual,      ///< as many servers in each as can be; the more available ones have one less
  kGreedy,     ///< section III-B as printed: add servers while size x price does not fall
  kMarginal,   ///< add one while that is worth at least as much as to sell it on its own
  kLookahead,  ///< end a class where it and all that is left as one class are worth most
  kOptimal,    ///< the highest revenue of all partitions
};

/// The beginnings of the classes: `first[0]` is 0, class c holds the servers from first[c] to
/// before first[c + 1], the last one up to the end. From the most volatile class on.
struct Partition {
  std::vector<std::size_t> first;

  [[nodiscard]] std::size_t classes() const { return first.size(); }
};

/// Cuts `capacity` into `classes` classes. The greedy rules start at the most available server;
/// what is left when the last class may be opened joins it, and there are fewer classes when the
/// servers run out. The optimal one has exactly `classes`.
///
/// Errors: ConfigError when there are fewer servers than classes, no class at all, or kOptimal
/// with MttrRule::kMean has more than kMostServersOfMean servers.
[[nodiscard]] Partition partition(const IdleCapacity& capacity, PartitionRule rule,
                                  std::size_t classes, const ClassPricing& pricing);

/// With the mean of MTTRs nothing but looking at all pairs of servers is known to be exact.
inline constexpr std::size_t kMostServersOfMean = 10000;

/// The revenue of all classes, in server-hours at the on-demand price.
[[nodiscard]] double revenue(const IdleCapacity& capacity, const Partition& partition,
                             const ClassPricing& pricing);
[[nodiscard]] double useful_hours(const IdleCapacity& capacity, const Partition& partition,
                                  const ClassPricing& pricing);

/// The servers of class `c`.
[[nodiscard]] ClassSums sums_of(const IdleCapacity& capacity, const Partition& partition,
                                std::size_t c);

/// The number of ranks in each class, from the most available class on. Ranks without idle time
/// count with the next one above that has some, so that the sizes add up to all ranks.
[[nodiscard]] std::vector<std::size_t> class_sizes(const IdleCapacity& capacity,
                                                   const Partition& partition);

}  // namespace cospot
