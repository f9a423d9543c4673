#include "core/handshake/ranked_evictions.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/errors.hpp"

namespace cospot {
namespace {

/// A short plan would overcommit the host, and no score is better than one that is not a number.
void check_plan(const EvictionCase& eviction, const EvictionPlan& plan) {
  ResourceVector missing = eviction.shortfall;
  for (std::size_t i = 0; i < plan.victims.size(); ++i) {
    if (plan.victims[i] >= eviction.spots.size() ||
        (i > 0 && plan.victims[i] <= plan.victims[i - 1])) {
      throw PolicyError("an evictor named victims that are not on the host or not in order");
    }
    missing -= eviction.spots[plan.victims[i]].resources;
  }
  if (!missing.fits_in(ResourceVector{})) {
    throw PolicyError("an evictor's plan does not free enough for the VM");
  }
  if (!std::isfinite(plan.score)) {
    throw PolicyError("an evictor's score is " + std::to_string(plan.score) +
                      ", expected a finite number");
  }
}

}  // namespace

void RankedPlan::reset(double score) {
  plan.victims.clear();
  plan.score = score;
  std::ranges::fill(upper_scores, score);
}

RankedEvictions::RankedEvictions(const Evictor& evictor, const PriorityLevels& levels)
    : evictor_(&evictor), levels_(levels), of_rank_(2 * levels.count) {}

RankedPlan RankedEvictions::no_plan() const {
  return {.plan = {}, .upper_scores = std::vector<double>(of_rank_.size() - 1)};
}

bool RankedEvictions::make_plan(const EvictionCase& eviction, const RankedPlan* best,
                                RankedPlan& plan) {
  const auto is_promised = [&](const RunningSpot& spot) { return spot.is_promised(eviction.now); };
  if (!levels_.are_classes() || std::ranges::any_of(eviction.spots, is_promised)) {
    return plan_by_ranks(eviction, plan);
  }
  plan.reset(0);
  // Whoever evicts what is of higher rank loses against this one, whatever it costs.
  const bool is_limited = best != nullptr && best->upper_scores == plan.upper_scores;
  const double limit = is_limited ? best->plan.score : kNoScoreLimit;
  return ask(eviction, limit, plan.plan);
}

bool RankedEvictions::ask(const EvictionCase& eviction, double score_limit,
                          EvictionPlan& plan) const {
  if (!evictor_->make_plan(eviction, score_limit, plan)) return false;
  check_plan(eviction, plan);
  return true;
}

void RankedEvictions::sort_by_rank(const EvictionCase& eviction) {
  for (OfRank& rank : of_rank_) {
    rank.instances.clear();
    rank.positions.clear();
    rank.sum = {};
  }
  for (std::size_t i = 0; i < eviction.spots.size(); ++i) {
    const RunningSpot& spot = eviction.spots[i];
    const std::size_t level = levels_.of_displaceable(spot.instance);
    OfRank& rank = of_rank_[2 * level + (spot.is_promised(eviction.now) ? 0 : 1)];
    rank.instances.push_back(spot);
    rank.positions.push_back(static_cast<std::uint32_t>(i));
    rank.sum += spot.resources;
  }
}

bool RankedEvictions::plan_by_ranks(const EvictionCase& eviction, RankedPlan& plan) {
  plan.reset(0);
  sort_by_rank(eviction);
  ResourceVector lower;  // what all ranks below one could free
  for (const OfRank& rank : of_rank_) lower += rank.sum;
  if (!eviction.shortfall.fits_in(lower)) return false;
  ResourceVector missing = eviction.shortfall;
  for (std::size_t rank = 0; rank < of_rank_.size(); ++rank) {
    const OfRank& of = of_rank_[rank];
    lower -= of.sum;
    const EvictionCase part{
        .spots = of.instances, .shortfall = missing - lower, .now = eviction.now};
    if (part.shortfall.fits_in(ResourceVector{})) continue;
    if (!ask(part, kNoScoreLimit, part_)) return false;
    for (const std::uint32_t victim : part_.victims) {
      missing -= of.instances[victim].resources;
      plan.plan.victims.push_back(of.positions[victim]);
    }
    const bool is_lowest = rank + 1 == of_rank_.size();
    (is_lowest ? plan.plan.score : plan.upper_scores[rank]) = part_.score;
  }
  std::ranges::sort(plan.plan.victims);
  return true;
}

}  // namespace cospot
