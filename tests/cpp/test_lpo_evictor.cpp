#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/errors.hpp"
#include "core/random.hpp"
#include "evictors/fifo_evictor.hpp"
#include "evictors/lifetime_evictor.hpp"
#include "tests/cpp/error_text.hpp"

namespace cospot {
namespace {

using Positions = std::vector<std::uint32_t>;

RunningSpot spot_of(ResourceAmount vcpus, ResourceAmount memory_mb, SimTime ends_at) {
  return {.resources = {.vcpus = vcpus, .memory_mb = memory_mb}, .ends_at = ends_at};
}

TEST_CASE("LpoEvictor: the set that loses the least revenue goes") {
  // Day 10; 6 vcpus are missing. Remaining revenue in vcpu-days: 8 * 5 = 40, 4 * 3 = 12,
  // 2 * 10 = 20, 3 * 7 = 21. Sets that free 6: {0} = 40, {1, 2} = 32, {1, 3} = 33.
  const std::array<RunningSpot, 4> spots{spot_of(8, 1, 15 * kDay), spot_of(4, 1, 13 * kDay),
                                         spot_of(2, 1, 20 * kDay), spot_of(3, 1, 17 * kDay)};
  const EvictionCase eviction{.spots = spots, .shortfall = {.vcpus = 6}, .now = 10 * kDay};
  const LpoEvictor evictor{PluginOptions{}};
  EvictionPlan plan;
  CHECK(evictor.make_plan(eviction, kNoScoreLimit, plan));
  CHECK(plan.victims == Positions{1, 2});
  CHECK(plan.score == 32 * 86400.0);  // vcpu-seconds
  CHECK(evictor.make_plan(eviction, 32 * 86400.0 + 0.001, plan));
  CHECK_FALSE(evictor.make_plan(eviction, 32 * 86400.0, plan));
  CHECK_FALSE(evictor.make_plan(eviction, 0.0, plan));
}

TEST_CASE("LpoEvictor: remaining life ends at the horizon and is at least a microsecond") {
  // Day 80. Spot 0 never ends: it counts until day 90, 1 * 10 vcpu-days; spot 1 ends on day 83 but
  // has 4 vcpus: 12. Without the horizon spot 1 would be the cheaper.
  const std::array<RunningSpot, 2> spots{spot_of(1, 8, kNever), spot_of(4, 8, 83 * kDay)};
  EvictionCase eviction{.spots = spots, .shortfall = {.memory_mb = 8}, .now = 80 * kDay};
  EvictionPlan plan;
  const LpoEvictor stated(PluginOptions("LPO", {{"horizon_day", 90.0}}));
  CHECK(stated.make_plan(eviction, kNoScoreLimit, plan));
  CHECK(plan.victims == Positions{0});
  CHECK(plan.score == 10 * 86400.0);
  const LpoEvictor later(PluginOptions("LPO", {{"horizon_day", 95.0}}));  // 1 * 15 against 4 * 3
  CHECK(later.make_plan(eviction, kNoScoreLimit, plan));
  CHECK(plan.victims == Positions{1});
  // Past the horizon every life is one microsecond: 1 vcpu for 1e-6 s.
  eviction.now = 91 * kDay;
  CHECK(stated.make_plan(eviction, kNoScoreLimit, plan));
  CHECK(plan.victims == Positions{0});
  CHECK(plan.score == 1e-6);
}

TEST_CASE("LpoEvictor: without a stated horizon life counts to day 90, or for 30 days if later") {
  const auto score_at = [](int day) {
    const std::array<RunningSpot, 1> spots{spot_of(1, 8, kNever)};
    EvictionPlan plan;
    CHECK(LpoEvictor(PluginOptions{})
              .make_plan({.spots = spots, .shortfall = {.memory_mb = 8}, .now = day * kDay},
                         kNoScoreLimit, plan));
    return plan.score / 86400.0;
  };
  CHECK(score_at(10) == 80);
  CHECK(score_at(60) == 30);
  CHECK(score_at(80) == 30);
  CHECK(score_at(300) == 30);
  // In the second year a spot that is about to end goes before a smaller one that stays.
  const std::array<RunningSpot, 2> spots{spot_of(1, 8, kNever), spot_of(4, 8, 403 * kDay)};
  EvictionPlan plan;
  CHECK(LpoEvictor(PluginOptions{})
            .make_plan({.spots = spots, .shortfall = {.memory_mb = 8}, .now = 400 * kDay},
                       kNoScoreLimit, plan));
  CHECK(plan.victims == Positions{1});
}

TEST_CASE("LpoEvictor: without a shortfall nobody goes, beyond all spots nobody can") {
  const std::array<RunningSpot, 1> spots{spot_of(4, 4, kNever)};
  const LpoEvictor evictor{PluginOptions{}};
  EvictionPlan plan{.victims = {7}, .score = 7};
  CHECK(evictor.make_plan({.spots = spots, .shortfall = {}, .now = 4 * kDay}, kNoScoreLimit, plan));
  CHECK(plan.victims.empty());
  CHECK(plan.score == 0.0);
  CHECK_FALSE(evictor.make_plan({.spots = spots, .shortfall = {.vcpus = 5}, .now = 4 * kDay},
                                kNoScoreLimit, plan));
}

TEST_CASE("LpoEvictor: options are days, checked") {
  CHECK(LpoEvictor(PluginOptions{}).follows_fifo_until() == 3 * kDay);
  CHECK(LpoEvictor(PluginOptions("LPO", {{"from_day", 1.5}})).follows_fifo_until() ==
        std::chrono::hours(36));
  CHECK(LpoEvictor(PluginOptions{}).victims_have_positive_cost());
  CHECK_THROWS_AS(LpoEvictor(PluginOptions("LPO", {{"from", 1.0}})), ConfigError);
  const auto from = [](double day) {
    return LpoEvictor(PluginOptions("LPO", {{"from_day", day}})).follows_fifo_until();
  };
  CHECK(from(100'000) == 100'000 * kDay);
  CHECK(from(-100'000) == -100'000 * kDay);
  // To the nearest microsecond, of which a day has 8.64e10: 0.6 is one, 0.4 none.
  CHECK(from(0.6 / 8.64e10) == SimTime(1));
  CHECK(from(-0.6 / 8.64e10) == SimTime(-1));
  CHECK(from(0.4 / 8.64e10) == SimTime(0));
  CHECK(error_text<ConfigError>([&] { (void)from(100'000.5); }) ==
        "LPO: option 'from_day' must be a day from -100000 to 100000, not 100000.500000");
  for (const double day : {-100'000.5, 1e300, std::nan(""), -HUGE_VAL}) {
    CAPTURE(day);
    CHECK_THROWS_AS((void)from(day), ConfigError);
  }
}

/// A host with the flavors of the CoSpot workloads; every third spot never ends.
std::vector<RunningSpot> random_host(Random& random, SimTime now) {
  static constexpr std::array<std::array<ResourceAmount, 2>, 6> kFlavors{
      {{100, 14}, {200, 28}, {400, 56}, {800, 64}, {100, 32}, {200, 64}}};
  std::vector<RunningSpot> spots(1 + random.below(12));
  for (RunningSpot& spot : spots) {
    const auto& flavor = kFlavors[random.below(kFlavors.size())];
    const auto minutes = static_cast<std::int64_t>(random.below(std::uint64_t{87} * 1440));
    spot = spot_of(flavor[0], flavor[1], now + std::chrono::minutes(minutes));
    if (random.below(3) == 0) spot.ends_at = kNever;
  }
  return spots;
}

TEST_CASE("LpoEvictor: equals FIFO before day 3 and never loses more than FIFO's set after") {
  Random random(4);
  const FifoEvictor fifo{PluginOptions{}};
  const LpoEvictor lpo{PluginOptions{}};
  for (int round = 0; round < 3000; ++round) {
    const bool early = round % 2 == 0;
    const SimTime now = early ? 3 * kDay - SimTime(1 + round) : 3 * kDay + SimTime(round);
    const std::vector<RunningSpot> spots = random_host(random, now);
    const EvictionCase eviction{
        .spots = spots,
        .shortfall = {.vcpus = static_cast<ResourceAmount>(random.below(1200)),
                      .memory_mb = static_cast<ResourceAmount>(random.below(150))},
        .now = now};
    const double limit = early && round % 4 == 0 ? 2.0 : kNoScoreLimit;
    EvictionPlan by_fifo;
    EvictionPlan by_lpo;
    const bool possible = fifo.make_plan(eviction, limit, by_fifo);
    CAPTURE(round);
    REQUIRE(lpo.make_plan(eviction, limit, by_lpo) == possible);
    if (!possible) continue;
    if (early) {
      REQUIRE(by_lpo.victims == by_fifo.victims);
      REQUIRE(by_lpo.score == by_fifo.score);
      continue;
    }
    double fifo_loss = 0;  // vcpu-seconds; every sum here is an exact double
    for (const std::uint32_t victim : by_fifo.victims) {
      const SimTime life = std::min(spots[victim].ends_at, 90 * kDay) - now;
      fifo_loss += spots[victim].resources.vcpus * static_cast<double>(life.count());
    }
    REQUIRE(by_lpo.score <= fifo_loss / 1e6);
  }
}

}  // namespace
}  // namespace cospot
