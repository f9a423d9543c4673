#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/model/resource_vector.hpp"
#include "core/model/sim_time.hpp"
#include "core/policy/evictor.hpp"

namespace cospot {

/// The cost of evicting one spot and what that frees.
struct EvictionItem {
  std::int64_t cost = 1;  ///< at least 1; the sum of all costs in a call fits 63 bits
  ResourceVector frees;   ///< amounts >= 0
};

inline constexpr std::int64_t kNoCostLimit = std::numeric_limits<std::int64_t>::max();

/// Finds the set of items that covers every positive amount of `shortfall` at the least total cost.
/// Ties: the fewest items, then the set whose ascending positions are lexicographically smallest
/// (so the oldest, when items come oldest first). With more than 16 candidate items, the search for
/// ties ends after 5,000 nodes and keeps the best tied set found: finding the fewest among
/// thousands of equally cheap sets can take far longer than proving that none is cheaper. The same
/// input always gives the same answer.
///
/// Writes the ascending positions to `victims` and returns their cost; std::nullopt, with
/// `victims` unspecified, when no covering set costs less than `cost_limit`.
///
/// The problem is a covering knapsack with up to three constraints, so no method is fast on every
/// input; bench_evictors.cpp shows the slow ones. To bound its time, the search for the least cost
/// stops after CoverBranchAndBound::kMostNodes nodes (up to 0.3 s) and returns the cheapest set
/// found. At 64 items this was observed only with inputs built to be hard: costs near the sum of
/// three sizes, or lives that differ by a few microseconds. At 256 and more it happens occasionally
/// where all lives are the same. With 16 candidates or fewer the limit is never reached. A call
/// does not allocate once its thread's buffers have grown.
std::optional<std::int64_t> find_cheapest_eviction(std::span<const EvictionItem> items,
                                                   const ResourceVector& shortfall,
                                                   std::int64_t cost_limit,
                                                   std::vector<std::uint32_t>& victims);

/// The revenue lost by evicting a spot of `vcpus` that would have lived `remaining_life` longer, in
/// vcpu-microseconds. A spot that is due is charged one microsecond, and one without vcpus counts
/// as 1 vcpu, so that no victim is free. Capped so that the costs of `spots` such spots together
/// fit 63 bits; for a life of 90 days the cap matters from a million vcpus on one host.
[[nodiscard]] std::int64_t revenue_lost(ResourceAmount vcpus, SimTime remaining_life,
                                        std::size_t spots);

/// Finds the cheapest eviction and writes it as a plan whose score is the cost in vcpu-seconds.
/// Returns false as Evictor::make_plan does; `score_limit` cuts the search short.
bool plan_least_revenue_lost(std::span<const EvictionItem> items, const ResourceVector& shortfall,
                             double score_limit, EvictionPlan& plan);

}  // namespace cospot
