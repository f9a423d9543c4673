#include "guarantees/sla/evidence.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/errors.hpp"
#include "guarantees/sla/kept_promises.hpp"

namespace cospot {
namespace {

/// Shares of evicted spots at which a lifetime is looked for, below each target.
constexpr int kShares = 20;
/// A quantile so low is the shortest lifetime that ended in an eviction.
constexpr double kLeastProbability = 1e-9;

bool is_supported(double target, double share, std::uint64_t observations) {
  const auto evicted =
      static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(observations)));
  return eviction_interval({.promised = observations, .broken = evicted}).upper <= target;
}

}  // namespace

std::optional<std::uint64_t> observations_needed(double target, double share) {
  constexpr std::uint64_t kMost = 10'000'000;
  std::uint64_t too_few = 0;
  std::uint64_t enough = 1;
  while (!is_supported(target, share, enough)) {
    if (enough >= kMost) return std::nullopt;
    too_few = enough;
    enough = std::min(2 * enough, kMost);
  }
  while (enough - too_few > 1) {
    const std::uint64_t middle = (too_few + enough) / 2;
    (is_supported(target, share, middle) ? enough : too_few) = middle;
  }
  return enough;
}

Evidence::Evidence(std::uint64_t spots, std::span<const double> targets)
    : spots_(spots), targets_(targets.begin(), targets.end()) {
  for (const double target : targets) {
    for (int part = 0; part < kShares; ++part) {
      const double share = target * part / kShares;
      const std::optional<std::uint64_t> needed = observations_needed(target, share);
      if (!needed || *needed > spots) continue;
      const double probability = std::max(share, kLeastProbability);
      steps_.push_back({.target = target, .probability = probability, .needed = *needed});
      probabilities_.push_back(probability);
    }
  }
  std::ranges::sort(probabilities_);
  probabilities_.erase(std::unique(probabilities_.begin(), probabilities_.end()),
                       probabilities_.end());
}

SimTime Evidence::supported(const LifetimeQuantiles& quantiles, const ResourceVector& size,
                            std::int64_t slots, double target) const {
  if (std::ranges::find(targets_, target) == targets_.end()) {
    throw ConfigError(
        fmt::format("target is {}, expected one of {}", target, fmt::join(targets_, ", ")));
  }
  SimTime longest = kNoPromise;
  for (const Step& step : steps_) {
    if (step.target != target) continue;
    const SimTime lifetime = std::min(quantiles.promised(size, slots, step.probability),
                                      quantiles.observed(size, slots, step.needed));
    if (lifetime > SimTime{0}) longest = std::max(longest, lifetime);
  }
  return longest;
}

std::vector<LifetimeStep> Evidence::steps(const LifetimeQuantiles& quantiles,
                                          const ResourceVector& size, std::int64_t most,
                                          double target) const {
  std::vector<LifetimeStep> steps{{}};
  const SlotConditions& conditions = quantiles.conditions();
  for (std::int64_t slots = 1; slots <= most; slots = conditions.next_after(slots)) {
    const SimTime lifetime = supported(quantiles, size, slots, target);
    const SimTime whole = std::chrono::floor<std::chrono::seconds>(lifetime);
    const LifetimeStep step{.slots = slots, .lifetime = whole > SimTime{0} ? whole : kNoPromise};
    if (step.lifetime != steps.back().lifetime) steps.push_back(step);
  }
  return steps;
}

}  // namespace cospot
