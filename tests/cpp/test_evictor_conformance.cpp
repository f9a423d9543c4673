// What core/policy/evictor.hpp promises, checked for every registered evictor.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/random.hpp"
#include "evictors/registry.hpp"

namespace cospot {
namespace {

/// The spots of one host and what a VM misses on it.
struct RandomCase {
  std::vector<RunningSpot> spots;
  ResourceVector shortfall;
  SimTime now{0};

  [[nodiscard]] EvictionCase eviction() const { return {spots, shortfall, now}; }
};

ResourceAmount amount_from(Random& random, ResourceAmount least, ResourceAmount most) {
  return least +
         static_cast<ResourceAmount>(random.below(static_cast<std::uint64_t>(most - least) + 1));
}

/// Up to `most` spots. Now and then the shortfall is not positive, or more than they hold.
RandomCase random_case(Random& random, std::size_t most, SimTime now) {
  RandomCase made;
  made.now = now;
  const std::size_t count = random.below(most + 1);
  ResourceVector held;
  SimTime placed = now - SimTime(static_cast<std::int64_t>(random.below(1000)));
  for (std::size_t i = 0; i < count; ++i) {
    RunningSpot spot{.instance = static_cast<InstanceIndex>(10 + 3 * i),
                     .resources = {amount_from(random, 1, 5), amount_from(random, 0, 6),
                                   amount_from(random, 0, 2)},
                     .placed_at = std::min(placed, now),
                     .ends_at = kNever};
    placed += SimTime(static_cast<std::int64_t>(random.below(3)));
    // Due now, in a few microseconds, or in days; some never end.
    if (random.below(5) > 0) spot.ends_at = now + SimTime(amount_from(random, 0, 4));
    if (random.below(2) == 0) spot.ends_at = now + amount_from(random, 0, 120) * kDay;
    held += spot.resources;
    made.spots.push_back(spot);
  }
  made.shortfall = {amount_from(random, -2, held.vcpus + 1),
                    amount_from(random, -2, held.memory_mb + 1),
                    amount_from(random, -2, held.disk_gb + 1)};
  return made;
}

bool covers(const RandomCase& made, const std::vector<std::uint32_t>& victims) {
  ResourceVector missing = made.shortfall;
  for (const std::uint32_t victim : victims) missing -= made.spots[victim].resources;
  return missing.fits_in(ResourceVector{});
}

bool all_cover(const RandomCase& made) {
  std::vector<std::uint32_t> all(made.spots.size());
  for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i;
  return covers(made, all);
}

/// A plan with content that must not show through.
EvictionPlan used_plan() { return {.victims = {99, 98}, .score = -7}; }

void check_plan(const RandomCase& made, const EvictionPlan& plan) {
  REQUIRE(std::isfinite(plan.score));
  for (std::size_t i = 0; i < plan.victims.size(); ++i) {
    REQUIRE(plan.victims[i] < made.spots.size());
    if (i > 0) REQUIRE(plan.victims[i - 1] < plan.victims[i]);
  }
  REQUIRE(covers(made, plan.victims));
  if (made.shortfall.fits_in(ResourceVector{})) {
    REQUIRE(plan.victims.empty());
    REQUIRE(plan.score == 0);
  }
}

/// A limit above the score changes nothing; one at or below it may be ignored, but then the plan is
/// the same.
void check_score_limit(const Evictor& evictor, const RandomCase& made, const EvictionPlan& plan) {
  if (plan.victims.empty()) return;
  for (const double limit : {std::nextafter(plan.score, kNoScoreLimit), 2 * std::abs(plan.score),
                             plan.score, plan.score / 2, 0.0}) {
    CAPTURE(limit);
    EvictionPlan limited = used_plan();
    const bool found = evictor.make_plan(made.eviction(), limit, limited);
    if (plan.score < limit) REQUIRE(found);
    if (!found) continue;
    REQUIRE((limited.victims == plan.victims));
    REQUIRE(limited.score == plan.score);
  }
}

void check_fifo(const Evictor& evictor, const RandomCase& made) {
  static const std::unique_ptr<Evictor> fifo =
      make_plugin(evictor_registry(), "evictor", "FIFO", {});
  if (made.now >= evictor.follows_fifo_until()) return;
  for (const double limit : {kNoScoreLimit, 3.0, 1.0}) {
    EvictionPlan plan = used_plan();
    EvictionPlan expected;
    const bool found = evictor.make_plan(made.eviction(), limit, plan);
    REQUIRE(found == fifo->make_plan(made.eviction(), limit, expected));
    if (!found) continue;
    REQUIRE((plan.victims == expected.victims));
    REQUIRE(plan.score == expected.score);
  }
}

void check_case(const Evictor& evictor, const RandomCase& made) {
  EvictionPlan plan = used_plan();
  const bool found = evictor.make_plan(made.eviction(), kNoScoreLimit, plan);
  REQUIRE(found == all_cover(made));
  check_fifo(evictor, made);
  if (!found) return;
  check_plan(made, plan);
  if (evictor.victims_have_positive_cost() && !plan.victims.empty()) REQUIRE(plan.score > 0);
  check_score_limit(evictor, made, plan);
}

TEST_CASE("evictors: plans are sufficient, in order, and keep what the evictor says of itself") {
  for (const RegistryEntry<Evictor>& entry : evictor_registry()) {
    CAPTURE(entry.info.name);
    const std::unique_ptr<Evictor> evictor =
        entry.make(PluginOptions(std::string(entry.info.name)));
    Random random(11);
    std::vector<SimTime> times{-1000 * kDay, SimTime(0), 5 * kDay, 89 * kDay, 200 * kDay};
    const SimTime until = evictor->follows_fifo_until();
    if (until != SimTime::min() && until != kNever) {
      times.push_back(until - SimTime(1));
      times.push_back(until);
    }
    for (int round = 0; round < 3000; ++round) {
      const SimTime now = times[static_cast<std::size_t>(round) % times.size()];
      check_case(*evictor, random_case(random, round % 10 == 0 ? 40 : 8, now));
    }
  }
}

TEST_CASE("evictors: no spots, no shortfall; no spots, a shortfall") {
  for (const RegistryEntry<Evictor>& entry : evictor_registry()) {
    CAPTURE(entry.info.name);
    const std::unique_ptr<Evictor> evictor =
        entry.make(PluginOptions(std::string(entry.info.name)));
    check_case(*evictor, {.spots = {}, .shortfall = {0, -5, 0}, .now = 4 * kDay});
    check_case(*evictor, {.spots = {}, .shortfall = {0, 0, 1}, .now = 4 * kDay});
  }
}

}  // namespace
}  // namespace cospot
