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

/// What evicting one spot costs and frees.
struct EvictionItem {
  std::int64_t cost = 1;  ///< at least 1; in one call all costs together fit 63 bits
  ResourceVector frees;   ///< amounts >= 0
};

inline constexpr std::int64_t kNoCostLimit = std::numeric_limits<std::int64_t>::max();

/// Finds the set of items that covers every positive amount of `shortfall` at the least total cost.
/// Ties: the fewest items, then the set whose ascending positions are lexicographically smallest
/// (so the oldest, when items come oldest first). With more than 16 candidate items, ties are
/// settled as far as 5,000 nodes reach, then the best tied set known stands: to find the fewest
/// among thousands of equally cheap sets can take far longer than to prove that none is cheaper.
/// The answer is always the same for the same input.
///
/// Writes the ascending positions to `victims` and returns their cost; std::nullopt, with
/// `victims` unspecified, when no covering set costs less than `cost_limit`.
///
/// The problem is a covering knapsack with up to three constraints, so no method is fast on every
/// input: bench_evictors.cpp tells on which this one is. So that it ends on every input, the search
/// for the least cost stops after CoverBranchAndBound::kMostNodes nodes, with the cheapest set
/// found by then. That takes up to 0.3 s. At 64 items it has been seen only where they were made to
/// be hard: costs near the sum of three sizes, or lives equal to a few microseconds; at 256 and
/// more now and then where all lives are the same. With 16 candidates or fewer there are not as
/// many nodes. A call allocates nothing once the buffers of its thread have grown.
std::optional<std::int64_t> find_cheapest_eviction(std::span<const EvictionItem> items,
                                                   const ResourceVector& shortfall,
                                                   std::int64_t cost_limit,
                                                   std::vector<std::uint32_t>& victims);

/// The revenue lost with a spot of `vcpus` that would have lived `remaining_life` longer, in
/// vcpu-microseconds. A spot that is due is charged one microsecond, one without vcpus 1, so that
/// no victim is free. Capped so that the costs of `spots` such spots together fit 63 bits, which
/// for a life of 90 days matters from a million vcpus on one host.
[[nodiscard]] std::int64_t revenue_lost(ResourceAmount vcpus, SimTime remaining_life,
                                        std::size_t spots);

/// Finds the cheapest eviction and writes it as a plan whose score is the cost in vcpu-seconds.
/// Returns false as Evictor::make_plan does; `score_limit` cuts the search short.
bool plan_least_revenue_lost(std::span<const EvictionItem> items, const ResourceVector& shortfall,
                             double score_limit, EvictionPlan& plan);

}  // namespace cospot
