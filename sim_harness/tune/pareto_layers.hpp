#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace cospot {

/// What a setting costs and earns, as fractions of what was requested.
struct CostAndRevenue {
  double vm_loss = 0;
  double spot_share = 0;
};

/// Tells whether `a` is at least as good in both and better in one.
[[nodiscard]] bool dominates(const CostAndRevenue& a, const CostAndRevenue& b);

/// The layer of every point: 0 for those that no other dominates, then those that only points of
/// layer 0 dominate, and so on.
[[nodiscard]] std::vector<std::size_t> pareto_layers(std::span<const CostAndRevenue> points);

/// The `count` best points, layer by layer and within one by spot revenue; ties go to the lower
/// position. Ascending.
[[nodiscard]] std::vector<std::size_t> best_by_layer(std::span<const CostAndRevenue> points,
                                                     std::size_t count);

/// Whole layers, from the first on, while they fit into `most`; of the one that does not, points
/// spread evenly from its least VM loss to its greatest. Positions, ascending.
[[nodiscard]] std::vector<std::size_t> whole_layers(std::span<const CostAndRevenue> points,
                                                    std::size_t most);

}  // namespace cospot
