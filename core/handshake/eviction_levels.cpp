#include "core/handshake/eviction_levels.hpp"

#include <algorithm>

#include "core/errors.hpp"

namespace cospot {
namespace {

bool nothing_missing(const ResourceVector& shortfall) {
  return shortfall.fits_in(ResourceVector{});
}

}  // namespace

LevelEvictions::LevelEvictions(const Evictor& evictor, std::size_t levels)
    : evictor_(&evictor), levels_(levels) {}

void LevelEvictions::sort_by_level(std::span<const RunningSpot> instances,
                                   std::span<const std::uint8_t> levels) {
  for (Level& level : levels_) level = {};
  for (std::size_t i = 0; i < instances.size(); ++i) {
    Level& level = levels_[levels[i]];
    level.instances.push_back(instances[i]);
    level.positions.push_back(static_cast<std::uint32_t>(i));
    level.sum += instances[i].resources;
  }
}

bool LevelEvictions::plan_level(std::size_t level, const ResourceVector& shortfall, SimTime now,
                                LevelPlan& plan, ResourceVector& freed) {
  const Level& of = levels_[level];
  const EvictionCase eviction{.spots = of.instances, .shortfall = shortfall, .now = now};
  if (!evictor_->make_plan(eviction, kNoScoreLimit, scratch_)) return false;
  ResourceVector missing = shortfall;
  for (const std::uint32_t victim : scratch_.victims) {
    if (victim >= of.instances.size()) {
      throw PolicyError("an evictor named victims that are not on the host");
    }
    missing -= of.instances[victim].resources;
    freed += of.instances[victim].resources;
    plan.victims.push_back(of.positions[victim]);
  }
  if (!nothing_missing(missing)) {
    throw PolicyError("an evictor's plan does not free enough for the instance");
  }
  plan.scores[level] = scratch_.score;
  return true;
}

bool LevelEvictions::make_plan(std::span<const RunningSpot> instances,
                               std::span<const std::uint8_t> levels, std::size_t displacing,
                               const ResourceVector& shortfall, SimTime now, LevelPlan& plan) {
  plan.victims.clear();
  plan.scores.assign(levels_.size(), 0);
  if (nothing_missing(shortfall)) return true;
  sort_by_level(instances, levels);
  // How much all levels below one could free.
  ResourceVector lower;
  for (std::size_t level = displacing + 1; level < levels_.size(); ++level) {
    lower += levels_[level].sum;
  }
  if (!shortfall.fits_in(lower)) return false;
  ResourceVector missing = shortfall;
  for (std::size_t level = displacing + 1; level < levels_.size(); ++level) {
    lower -= levels_[level].sum;
    const ResourceVector beyond = missing - lower;
    if (nothing_missing(beyond)) continue;
    ResourceVector freed;
    if (!plan_level(level, beyond, now, plan, freed)) return false;
    missing -= freed;
  }
  std::ranges::sort(plan.victims);
  return true;
}

}  // namespace cospot
