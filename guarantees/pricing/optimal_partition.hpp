#pragma once

#include <cstddef>

#include "guarantees/pricing/partition.hpp"

namespace cospot {

// Exact searches for the partition of the highest revenue. With pooled MTTR the revenue of a class
// is U f(R / U), U its idle hours, R its revocations, f convex: a sum of Bregman divergences from
// the mean less a constant. From that follows
//   1. cutting a class never lowers the revenue;
//   2. where rates rise (or fall) with the rank, revenue has the inverse quadrangle inequality
//      w(a,c) + w(b,d) >= w(a,d) + w(b,c) for a <= b <= c <= d, so that best cuts never move back.
// Source of 2: F. Nielsen, R. Nock, "Optimal interval clustering", 2014; A. Groenlund et al.,
// "Fast exact k-means, k-medians and Bregman divergence clustering in 1D", 2017.

/// Looks at all pairs of servers: O(N^2 k). Exact for every rule and order.
[[nodiscard]] Partition optimal_by_pairs(const IdleCapacity& capacity, std::size_t classes,
                                         const ClassPricing& pricing);

/// Divide and conquer by 2: O(k N log N). Exact where rates never rise (or never fall) with the
/// rank; elsewhere a good partition.
[[nodiscard]] Partition optimal_by_halving(const IdleCapacity& capacity, std::size_t classes,
                                           const ClassPricing& pricing);

/// Exact with pooled MTTR in any order: takes a good partition (by halving) and rules out, from
/// coarse blocks of cuts to single ones, all cuts of which even the bound that follows from 1 is no
/// better.
[[nodiscard]] Partition optimal_by_blocks(const IdleCapacity& capacity, std::size_t classes,
                                          const ClassPricing& pricing);

}  // namespace cospot
