#include <algorithm>
#include <limits>

#include "guarantees/pricing/optimal_partition.hpp"

namespace cospot {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();

/// Places where a cut may be: from `low` to `high`, both included.
struct Block {
  std::size_t low = 0;
  std::size_t high = 0;
  double split = 0;   ///< the most that its servers are worth with one cut among them
  double single = 0;  ///< what they are worth one by one: a bound for several cuts among them

  [[nodiscard]] bool is_single() const { return low == high; }
};

/// Rules out blocks of cuts, layer by layer: blocks[j] is where the cut j may be. A partition's
/// revenue is at most that of what lies between the blocks of its cuts, plus what the servers in
/// these blocks are worth (cutting never lowers revenue).
class BlockSearch {
 public:
  BlockSearch(const IdleCapacity& capacity, std::size_t classes, const ClassPricing& pricing)
      : capacity_(capacity),
        pricing_(pricing),
        best_(optimal_by_halving(capacity, classes, pricing)),
        bound_(revenue(capacity, best_, pricing) * (1 + 1e-12)),
        blocks_(classes - 1) {}

  [[nodiscard]] Partition search() {
    constexpr std::size_t kBlocks = 256, kFiner = 4;
    std::size_t width = capacity_.size() / kBlocks + 1;
    for (auto& layer : blocks_) layer = cut({{1, capacity_.size() - 1}}, width);
    while (rule_out() && width > 1) {
      width = (width + kFiner - 1) / kFiner;
      for (auto& layer : blocks_) layer = cut(layer, width);
    }
    return best_;
  }

 private:
  using Layer = std::vector<Block>;

  [[nodiscard]] double worth(std::size_t first, std::size_t last) const {
    return first < last ? capacity_.between(first, last).revenue(pricing_) : 0;
  }

  /// Cuts blocks into blocks of `width`, at the same places in every layer.
  [[nodiscard]] Layer cut(const Layer& coarse, std::size_t width) const {
    Layer fine;
    for (const Block& block : coarse) {
      for (std::size_t low = block.low; low <= block.high; low += width) {
        fine.push_back(measured({low, std::min(low + width - 1, block.high)}));
      }
    }
    return fine;
  }

  [[nodiscard]] Block measured(Block block) const {
    for (std::size_t i = block.low; i < block.high; ++i) block.single += worth(i, i + 1);
    for (std::size_t i = block.low; i <= block.high; ++i) {
      block.split = std::max(block.split, worth(block.low, i) + worth(i, block.high));
    }
    return block;
  }

  /// Bounds of the cuts up to that of a layer, which is in this block; its servers included.
  [[nodiscard]] std::vector<std::vector<double>> bounds_before() {
    std::vector<std::vector<double>> bounds(blocks_.size());
    begins_.assign(blocks_.size(), {});
    for (std::size_t layer = 0; layer < blocks_.size(); ++layer) {
      for (const Block& block : blocks_[layer]) {
        std::size_t from = 0;
        double most = layer == 0 ? worth(0, block.low) + block.split : kNone;
        for (std::size_t i = 0; layer > 0 && i < blocks_[layer - 1].size(); ++i) {
          const double value = bounds[layer - 1][i] + step(blocks_[layer - 1][i], block);
          if (value <= most) continue;
          most = value;
          from = i;
        }
        bounds[layer].push_back(most);
        begins_[layer].push_back(from);
      }
    }
    return bounds;
  }

  /// Bounds of what follows the servers of the block.
  [[nodiscard]] std::vector<std::vector<double>> bounds_after() const {
    std::vector<std::vector<double>> bounds(blocks_.size());
    for (std::size_t layer = blocks_.size(); layer-- > 0;) {
      for (const Block& block : blocks_[layer]) {
        const bool is_last = layer + 1 == blocks_.size();
        double most = is_last ? worth(block.high, capacity_.size()) : kNone;
        for (std::size_t i = 0; !is_last && i < blocks_[layer + 1].size(); ++i) {
          most = std::max(most, step(block, blocks_[layer + 1][i]) + bounds[layer + 1][i]);
        }
        bounds[layer].push_back(most);
      }
    }
    return bounds;
  }

  /// The addition of a cut in `to` after one in `from`.
  [[nodiscard]] double step(const Block& from, const Block& to) const {
    if (from.low == to.low) return to.is_single() ? kNone : to.single - to.split;
    if (from.low > to.low) return kNone;
    return worth(from.high, to.low) + to.split;
  }

  /// Drops what cannot be better than best_. False: nothing is left. Where all blocks are single,
  /// the bounds are exact.
  bool rule_out() {
    const auto before = bounds_before();
    const auto after = bounds_after();
    take_exact(before);
    for (std::size_t layer = 0; layer < blocks_.size(); ++layer) {
      Layer left;
      for (std::size_t i = 0; i < blocks_[layer].size(); ++i) {
        if (before[layer][i] + after[layer][i] > bound_) left.push_back(blocks_[layer][i]);
      }
      blocks_[layer] = left;
      if (left.empty()) return false;
    }
    return true;
  }

  void take_exact(const std::vector<std::vector<double>>& before) {
    for (const Layer& layer : blocks_) {
      if (!std::ranges::all_of(layer, &Block::is_single)) return;
    }
    const Layer& last = blocks_.back();
    double most = bound_;
    std::size_t found = last.size();
    for (std::size_t i = 0; i < last.size(); ++i) {
      const double value = before.back()[i] + worth(last[i].high, capacity_.size());
      if (value <= most) continue;
      most = value;
      found = i;
    }
    if (found == last.size()) return;
    for (std::size_t layer = blocks_.size(); layer-- > 0;) {
      best_.first[layer + 1] = blocks_[layer][found].low;
      found = begins_[layer][found];
    }
    bound_ = most;
  }

  const IdleCapacity& capacity_;
  const ClassPricing& pricing_;
  Partition best_;
  double bound_;  ///< a partition must be worth more to take its place
  std::vector<Layer> blocks_;
  std::vector<std::vector<std::size_t>> begins_;
};

}  // namespace

Partition optimal_by_blocks(const IdleCapacity& capacity, std::size_t classes,
                            const ClassPricing& pricing) {
  if (classes == 1) return Partition{.first = {0}};
  return BlockSearch(capacity, classes, pricing).search();
}

}  // namespace cospot
