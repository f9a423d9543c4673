#include "guarantees/pricing/optimal_partition.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace cospot {
namespace {

constexpr double kNoValue = -std::numeric_limits<double>::infinity();

/// values[b]: the highest revenue of the first b servers in so many classes as layers were
/// computed; begins[layer][b]: where the last of them begins.
struct Layers {
  std::vector<double> values;
  std::vector<std::vector<std::uint32_t>> begins;

  [[nodiscard]] Partition partition(std::size_t servers) const {
    Partition found{.first = std::vector<std::size_t>(begins.size() + 1)};
    std::size_t end = servers;
    for (std::size_t layer = begins.size(); layer-- > 0;) {
      end = begins[layer][end];
      found.first[layer + 1] = end;
    }
    return found;
  }
};

/// With one class.
Layers first_layer(const IdleCapacity& capacity, const ClassPricing& pricing) {
  Layers layers;
  layers.values.push_back(kNoValue);
  for (std::size_t b = 1; b <= capacity.size(); ++b) {
    layers.values.push_back(capacity.between(0, b).revenue(pricing));
  }
  return layers;
}

/// Divide and conquer over one more class.
class Halving {
 public:
  Halving(const IdleCapacity& capacity, const ClassPricing& pricing)
      : capacity_(capacity), pricing_(pricing) {}

  void add_layer(Layers& layers) {
    before_ = &layers.values;
    after_.assign(before_->size(), kNoValue);
    begins_.assign(before_->size(), 0);
    const std::size_t servers = capacity_.size();
    const std::size_t least = layers.begins.size() + 2;  // every class has a server
    solve(least, servers, least - 1, servers - 1);
    layers.values = after_;
    layers.begins.push_back(begins_);
  }

 private:
  /// The best of the ends [low, high], whose last classes begin in [from, to].
  void solve(std::size_t low, std::size_t high, std::size_t from, std::size_t to) {
    if (low > high) return;
    const std::size_t middle = low + (high - low) / 2;
    std::size_t best = from;
    double most = kNoValue;
    for (std::size_t a = from; a <= std::min(to, middle - 1); ++a) {
      const double value = (*before_)[a] + capacity_.between(a, middle).revenue(pricing_);
      if (value > most) {
        most = value;
        best = a;
      }
    }
    after_[middle] = most;
    begins_[middle] = static_cast<std::uint32_t>(best);
    solve(low, middle - 1, from, best);
    solve(middle + 1, high, best, to);
  }

  const IdleCapacity& capacity_;
  const ClassPricing& pricing_;
  const std::vector<double>* before_ = nullptr;
  std::vector<double> after_;
  std::vector<std::uint32_t> begins_;
};

}  // namespace

Partition optimal_by_pairs(const IdleCapacity& capacity, std::size_t classes,
                           const ClassPricing& pricing) {
  const std::size_t servers = capacity.size();
  std::vector<std::vector<double>> values(classes, std::vector<double>(servers + 1, kNoValue));
  Layers layers{.values = {}, .begins = {}};
  layers.begins.assign(classes - 1, std::vector<std::uint32_t>(servers + 1, 0));
  for (std::size_t b = 1; b <= servers; ++b) {
    values[0][b] = capacity.between(0, b).revenue(pricing);
    for (std::size_t a = 1; a < b; ++a) {
      const double last = capacity.between(a, b).revenue(pricing);
      for (std::size_t layer = 1; layer < classes; ++layer) {
        const double value = values[layer - 1][a] + last;
        if (value <= values[layer][b]) continue;
        values[layer][b] = value;
        layers.begins[layer - 1][b] = static_cast<std::uint32_t>(a);
      }
    }
  }
  return layers.partition(servers);
}

Partition optimal_by_halving(const IdleCapacity& capacity, std::size_t classes,
                             const ClassPricing& pricing) {
  Layers layers = first_layer(capacity, pricing);
  Halving halving(capacity, pricing);
  while (layers.begins.size() + 1 < classes) halving.add_layer(layers);
  return layers.partition(capacity.size());
}

}  // namespace cospot
