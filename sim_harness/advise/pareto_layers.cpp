#include <algorithm>
#include <numeric>
#include <tuple>

#include "sim_harness/advise/tune.hpp"

namespace cospot {

bool dominates(const CostAndRevenue& a, const CostAndRevenue& b) {
  if (a.vm_loss > b.vm_loss || a.spot_share < b.spot_share) return false;
  return a.vm_loss < b.vm_loss || a.spot_share > b.spot_share;
}

std::vector<std::size_t> pareto_layers(std::span<const CostAndRevenue> points) {
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tuple(points[a].vm_loss, -points[a].spot_share) <
           std::tuple(points[b].vm_loss, -points[b].spot_share);
  });
  // In this order the last point of a layer dominates the next one if any point of the layer does.
  std::vector<std::size_t> layers(points.size());
  std::vector<CostAndRevenue> last;  // of each layer
  for (const std::size_t point : order) {
    const auto layer = std::ranges::find_if(
        last, [&](const CostAndRevenue& above) { return !dominates(above, points[point]); });
    layers[point] = static_cast<std::size_t>(layer - last.begin());
    if (layer == last.end()) {
      last.push_back(points[point]);
    } else {
      *layer = points[point];
    }
  }
  return layers;
}

std::vector<std::size_t> best_by_layer(std::span<const CostAndRevenue> points, std::size_t count) {
  const std::vector<std::size_t> layers = pareto_layers(points);
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tuple(layers[a], -points[a].spot_share) <
           std::tuple(layers[b], -points[b].spot_share);
  });
  order.resize(std::min(count, order.size()));
  std::sort(order.begin(), order.end());
  return order;
}

std::vector<std::size_t> whole_layers(std::span<const CostAndRevenue> points, std::size_t most) {
  const std::vector<std::size_t> layers = pareto_layers(points);
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tuple(layers[a], points[a].vm_loss) < std::tuple(layers[b], points[b].vm_loss);
  });
  std::vector<std::size_t> taken;
  for (std::span<const std::size_t> rest = order; !rest.empty() && taken.size() < most;) {
    const auto next = std::ranges::find_if(
        rest, [&](std::size_t point) { return layers[point] != layers[rest.front()]; });
    const auto size = static_cast<std::size_t>(next - rest.begin());
    const std::size_t places = std::min(size, most - taken.size());
    for (std::size_t i = 0; i < places; ++i) {
      taken.push_back(rest[places == 1 ? 0 : i * (size - 1) / (places - 1)]);
    }
    rest = rest.subspan(size);
  }
  std::sort(taken.begin(), taken.end());
  return taken;
}

}  // namespace cospot
