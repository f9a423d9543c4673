#include "guarantees/pricing/capacity_class.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cospot {

double ClassSums::mttr(MttrRule rule) const {
  if (rule == MttrRule::kMean) return mttr_hours / size;
  // Differences of sums of whole numbers: no revocation is exactly 0.
  if (revocations == 0) return std::numeric_limits<double>::infinity();
  return idle_hours / revocations;
}

double ClassSums::performance(const ClassPricing& pricing) const {
  // As best_performance(), without its checks: this is asked millions of times.
  return 1 / (1 + std::sqrt(2 * pricing.checkpoint_hours / mttr(pricing.mttr)));
}

double ClassSums::price(const ClassPricing& pricing) const {
  return cospot::price(pricing.rule, performance(pricing));
}

double ClassSums::revenue(const ClassPricing& pricing) const {
  return servers > 0 ? idle_hours * price(pricing) : 0;
}

IdleCapacity::IdleCapacity(std::span<const ServerIdle> ranks) : ranks_(ranks.size()), sums_(1) {
  std::int64_t sizes = 0;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const ServerIdle& server = ranks[rank];
    sizes += server.size;
    if (server.idle <= SimTime(0)) continue;
    rank_.push_back(rank);
    ClassSums sum = sums_.back();
    const auto revocations = static_cast<double>(server.revocations);
    const auto size = static_cast<double>(server.size);
    sum.servers += 1;
    sum.size += size;
    sum.idle_hours += size * hours_of(server.idle);
    sum.revocations += size * revocations;
    sum.mttr_hours += size * hours_of(server.idle) / std::max(1.0, revocations);
    sums_.push_back(sum);
  }
  if (sizes > 0) mean_size_ = static_cast<double>(sizes) / static_cast<double>(ranks.size());
}

double IdleCapacity::most_revenue(const ClassPricing& pricing) const {
  double revenue = 0;
  for (std::size_t i = 0; i < size(); ++i) revenue += between(i, i + 1).revenue(pricing);
  return revenue;
}

double IdleCapacity::most_useful_hours(const ClassPricing& pricing) const {
  double useful = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    const ClassSums server = between(i, i + 1);
    useful += server.idle_hours * server.performance(pricing);
  }
  return useful;
}

}  // namespace cospot
