#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace cospot {

/// The cost and revenue of a setting, as fractions of the requested revenue.
struct CostAndRevenue {
  double vm_loss = 0;
  double spot_share = 0;
};

/// Tells whether `a` is at least as good in both and better in one.
[[nodiscard]] bool dominates(const CostAndRevenue& a, const CostAndRevenue& b);

/// The Pareto layer of every point: 0 if no point dominates it, 1 if only points of layer 0 do, and
/// so on.
[[nodiscard]] std::vector<std::size_t> pareto_layers(std::span<const CostAndRevenue> points);

/// The `count` best points, by layer, then by spot revenue; ties go to the lower position.
/// Ascending.
[[nodiscard]] std::vector<std::size_t> best_by_layer(std::span<const CostAndRevenue> points,
                                                     std::size_t count);

/// Complete layers, starting with the first, while they fit into `most`. If a layer does not fit,
/// an even sample of it by VM loss. Positions, ascending.
[[nodiscard]] std::vector<std::size_t> whole_layers(std::span<const CostAndRevenue> points,
                                                    std::size_t most);

}  // namespace cospot
