#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "evictors/fifo_evictor.hpp"
#include "evictors/youngest_first_evictor.hpp"

namespace cospot {
namespace {

RunningSpot spot_holding(ResourceAmount vcpus, ResourceAmount memory_mb,
                         ResourceAmount disk_gb = 0) {
  return {.resources = {.vcpus = vcpus, .memory_mb = memory_mb, .disk_gb = disk_gb}};
}

TEST_CASE("YoungestFirstEvictor: the youngest spots go until every resource suffices") {
  // Oldest first. 3 vcpus and 4 MiB are missing. The youngest frees 2 and 8: memory suffices. The
  // next frees no vcpus (it goes all the same), the next 1: 2 + 0 + 1 = 3. The oldest stays.
  const std::array<RunningSpot, 4> spots{spot_holding(9, 9), spot_holding(1, 1), spot_holding(0, 8),
                                         spot_holding(2, 8)};
  const EvictionCase eviction{.spots = spots, .shortfall = {.vcpus = 3, .memory_mb = 4}};
  const YoungestFirstEvictor evictor{PluginOptions{}};
  EvictionPlan plan;
  CHECK(evictor.make_plan(eviction, kNoScoreLimit, plan));
  CHECK(plan.victims == std::vector<std::uint32_t>{1, 2, 3});  // ascending
  CHECK(plan.score == 3.0);
  CHECK(evictor.make_plan(eviction, 3.5, plan));
  CHECK_FALSE(evictor.make_plan(eviction, 3.0, plan));  // three are not fewer than three

  // FIFO, which shares the walk, needs only the oldest: 9 >= 3 and 9 >= 4.
  CHECK(FifoEvictor(PluginOptions{}).make_plan(eviction, kNoScoreLimit, plan));
  CHECK(plan.victims == std::vector<std::uint32_t>{0});
}

TEST_CASE("YoungestFirstEvictor: without a shortfall nobody goes, beyond all spots nobody can") {
  const std::array<RunningSpot, 2> spots{spot_holding(4, 4, 1), spot_holding(4, 4, 1)};
  const YoungestFirstEvictor evictor{PluginOptions{}};
  EvictionPlan plan{.victims = {7}, .score = 7};
  CHECK(evictor.make_plan({.spots = spots, .shortfall = {.vcpus = -1}}, kNoScoreLimit, plan));
  CHECK(plan.victims.empty());
  CHECK(plan.score == 0.0);
  // 1 + 1 < 3 GiB of disk, though vcpus and memory would do.
  CHECK_FALSE(evictor.make_plan({.spots = spots, .shortfall = {.vcpus = 1, .disk_gb = 3}},
                                kNoScoreLimit, plan));
}

TEST_CASE("YoungestFirstEvictor: with score age the host whose oldest victim is youngest wins") {
  const auto placed = [](std::int64_t hour) {
    return RunningSpot{.resources = {1, 1, 0}, .placed_at = std::chrono::hours(hour)};
  };
  // At 10 h two vcpus are missing. On one host spots of 2, 8 and 9 h: 8 and 9 go, the older has run
  // 2 h. On the other two spots of 7 h: 3 h. The first host is better, though its third is older.
  const std::array<RunningSpot, 3> first{placed(2), placed(8), placed(9)};
  const std::array<RunningSpot, 2> second{placed(7), placed(7)};
  const auto plan_of = [](std::span<const RunningSpot> spots) {
    const YoungestFirstEvictor evictor(PluginOptions("YJF", {{"score", std::string("age")}}));
    EvictionPlan plan;
    CHECK(evictor.make_plan(
        {.spots = spots, .shortfall = {.vcpus = 2}, .now = std::chrono::hours(10)}, kNoScoreLimit,
        plan));
    return plan;
  };
  constexpr double kMicrosecondsPerHour = 3600e6;
  CHECK(plan_of(first).victims == std::vector<std::uint32_t>{1, 2});
  CHECK(plan_of(first).score == 2 * kMicrosecondsPerHour + 1);
  CHECK(plan_of(second).score == 3 * kMicrosecondsPerHour + 1);
  // Placed at this very moment: more than no eviction, whose score is 0.
  const std::array<RunningSpot, 2> just_placed{placed(10), placed(10)};
  CHECK(plan_of(just_placed).score == 1);
  CHECK_THROWS_AS(YoungestFirstEvictor(PluginOptions("YJF", {{"score", std::string("size")}})),
                  ConfigError);
  CHECK_THROWS_AS(YoungestFirstEvictor(PluginOptions("YJF", {{"scores", std::string("age")}})),
                  ConfigError);
  // Without a shortfall nobody goes, and so no age is scored.
  const YoungestFirstEvictor by_age(PluginOptions("YJF", {{"score", std::string("age")}}));
  EvictionPlan nobody{.victims = {7}, .score = 7};
  CHECK(by_age.make_plan({.spots = first, .shortfall = {}, .now = std::chrono::hours(10)},
                         kNoScoreLimit, nobody));
  CHECK(nobody.victims.empty());
  CHECK(nobody.score == 0);
}

TEST_CASE("YoungestFirstEvictor: charges every victim and never claims to follow FIFO") {
  const YoungestFirstEvictor evictor{PluginOptions{}};
  CHECK(evictor.victims_have_positive_cost());
  CHECK(evictor.follows_fifo_until() == SimTime::min());
}

}  // namespace
}  // namespace cospot
