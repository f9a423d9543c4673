#include "core/handshake/spot_side.hpp"

#include <algorithm>

#include "core/errors.hpp"

namespace cospot {

SpotSide::SpotSide(const Evictor& evictor, const PriorityLevels& levels)
    : evictor_(&evictor), levels_(levels) {
  if (levels.are_classes()) return;
  of_level_.resize(levels.count);
  best_.upper_scores.resize(levels.count - 1);
  candidate_.upper_scores.resize(levels.count - 1);
}

void SpotSide::LevelPlan::reset(double score) {
  plan.victims.clear();
  plan.score = score;
  std::ranges::fill(upper_scores, score);
}

void SpotSide::check_sufficient(const EvictionCase& eviction, const EvictionPlan& plan) {
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
}

void SpotSide::start(const Request& request) {
  request_ = request;
  host_ = kNoHost;
  best_.reset(kNoScoreLimit);  // whatever comes wins
}

void SpotSide::sort_by_level(std::span<const RunningSpot> instances) {
  for (OfLevel& level : of_level_) {
    level.instances.clear();
    level.positions.clear();
    level.sum = {};
  }
  for (std::size_t i = 0; i < instances.size(); ++i) {
    OfLevel& level = of_level_[levels_.of_displaceable(instances[i].instance)];
    level.instances.push_back(instances[i]);
    level.positions.push_back(static_cast<std::uint32_t>(i));
    level.sum += instances[i].resources;
  }
}

bool SpotSide::plan_by_levels(const EvictionCase& eviction) {
  candidate_.reset(0);
  sort_by_level(eviction.spots);
  ResourceVector lower;  // what all levels below one could free
  for (const OfLevel& level : of_level_) lower += level.sum;
  if (!eviction.shortfall.fits_in(lower)) return false;
  ResourceVector missing = eviction.shortfall;
  for (std::size_t level = 0; level < of_level_.size(); ++level) {
    const OfLevel& of = of_level_[level];
    lower -= of.sum;
    const EvictionCase part{
        .spots = of.instances, .shortfall = missing - lower, .now = eviction.now};
    if (part.shortfall.fits_in(ResourceVector{})) continue;
    if (!evictor_->make_plan(part, kNoScoreLimit, part_)) return false;
    check_sufficient(part, part_);
    for (const std::uint32_t victim : part_.victims) {
      missing -= of.instances[victim].resources;
      candidate_.plan.victims.push_back(of.positions[victim]);
    }
    const bool is_lowest = level + 1 == of_level_.size();
    (is_lowest ? candidate_.plan.score : candidate_.upper_scores[level]) = part_.score;
  }
  std::ranges::sort(candidate_.plan.victims);
  return true;
}

}  // namespace cospot
