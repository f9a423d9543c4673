#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "core/errors.hpp"
#include "core/random.hpp"
#include "evictors/fifo_evictor.hpp"
#include "evictors/lifetime_evictor.hpp"
#include "guarantees/learned_predictor.hpp"
#include "guarantees/lifetime_model_file.hpp"
#include "tests/cpp/error_text.hpp"
#include "tests/cpp/lifetime_fixtures.hpp"
#include "tests/cpp/scratch_folder.hpp"

namespace cospot {
namespace {

using Positions = std::vector<std::uint32_t>;

/// Says of every spot that it lives as many days longer as its number.
class DaysByNumber final : public LifetimePredictor {
 public:
  void predict(std::span<const RunningSpot> spots, SimTime, SimTime,
               std::span<SimTime> remaining) const override {
    for (std::size_t i = 0; i < spots.size(); ++i) remaining[i] = spots[i].instance * kDay;
  }
};

TEST_CASE("LpmlEvictor: the set that is expected to lose the least revenue goes") {
  // As the first case of test_lpo_evictor.cpp, but the lives are predicted: 8 * 5 = 40, 4 * 3 = 12,
  // 2 * 10 = 20, 3 * 7 = 21 vcpu-days; 6 vcpus are missing: {1, 2} = 32. True ends do not count.
  const auto spot = [](ResourceAmount vcpus, InstanceIndex days) {
    return RunningSpot{.instance = days, .resources = {.vcpus = vcpus, .memory_mb = 1}};
  };
  const std::array<RunningSpot, 4> spots{spot(8, 5), spot(4, 3), spot(2, 10), spot(3, 7)};
  const LpmlEvictor evictor(std::make_shared<DaysByNumber>(), 3 * kDay, 90 * kDay, 30 * kDay);
  EvictionPlan plan;
  CHECK(evictor.make_plan({.spots = spots, .shortfall = {.vcpus = 6}, .now = 10 * kDay},
                          kNoScoreLimit, plan));
  CHECK(plan.victims == Positions{1, 2});
  CHECK(plan.score == 32 * 86400.0);
  // Before day 3 the oldest goes, and the score is their number.
  CHECK(evictor.make_plan({.spots = spots, .shortfall = {.vcpus = 6}, .now = 3 * kDay - SimTime(1)},
                          kNoScoreLimit, plan));
  CHECK(plan.victims == Positions{0});
  CHECK(plan.score == 1);
}

TEST_CASE("LpmlEvictor: with the oracle it plans as LPO does, before day 3 as FIFO does") {
  Random random(17);
  const LpmlEvictor lpml(std::make_shared<LifetimeOracle>(), 3 * kDay, 90 * kDay, 30 * kDay);
  const LpmlEvictor learned{PluginOptions{}};
  const LpoEvictor lpo{PluginOptions{}};
  const FifoEvictor fifo{PluginOptions{}};
  for (int round = 0; round < 3000; ++round) {
    const SimTime now = std::array{SimTime(0), 3 * kDay - SimTime(1),
                                   3 * kDay,   20 * kDay,
                                   89 * kDay,  91 * kDay}[random.below(6)];
    std::vector<RunningSpot> spots(random.below(14));
    for (RunningSpot& spot : spots) {
      spot.resources = {.vcpus = static_cast<ResourceAmount>(random.below(9)),
                        .memory_mb = static_cast<ResourceAmount>(1 + random.below(5))};
      spot.placed_at = now - static_cast<std::int64_t>(random.below(40)) * kDay;
      spot.ends_at = now + static_cast<std::int64_t>(random.below(120'000)) * SimTime(60'000'000);
      if (random.below(4) == 0) spot.ends_at = kNever;
    }
    const EvictionCase eviction{
        .spots = spots,
        .shortfall = {.vcpus = static_cast<ResourceAmount>(random.below(40)),
                      .memory_mb = static_cast<ResourceAmount>(random.below(20))},
        .now = now};
    const double limit = round % 3 == 0 ? 40.0 : kNoScoreLimit;
    EvictionPlan plan;
    EvictionPlan expected;
    CAPTURE(round);
    const bool possible = lpo.make_plan(eviction, limit, expected);
    REQUIRE(lpml.make_plan(eviction, limit, plan) == possible);
    if (possible) {
      REQUIRE(plan.victims == expected.victims);
      REQUIRE(plan.score == expected.score);
    }
    if (now >= 3 * kDay) continue;
    const bool covered = fifo.make_plan(eviction, limit, expected);
    REQUIRE(learned.make_plan(eviction, limit, plan) == covered);
    if (!covered) continue;
    REQUIRE(plan.victims == expected.victims);
    REQUIRE(plan.score == expected.score);
  }
}

TEST_CASE("LearnedPredictor: reads the remaining life off the curve of the spot's inputs") {
  // The hand-made model, on the inputs of its file: flavor (2,4), 3 h, weekday 0, none previous.
  const auto model = parse_lifetime_model(hand_model(), "m.txt");
  const LearnedPredictor predictor(model);
  const SimTime placed = std::chrono::hours(3);
  const RunningSpot spot{.instance = 5, .resources = {2, 4}, .placed_at = placed};
  std::vector<LifePoint> curve(4);
  model->fill_curve({0, 3, 0, 2}, curve);
  std::array<SimTime, 1> remaining{};
  for (const std::int64_t age : {0, 4'000'000, 15'000'000, 60'000'000}) {
    const SimTime now = placed + SimTime(age);
    predictor.predict({&spot, 1}, now, placed + std::chrono::seconds(70), remaining);
    const double rest = expected_rest(model->grid(), curve, static_cast<double>(age), 70'000'000.0);
    CHECK(static_cast<double>(remaining[0].count()) == doctest::Approx(rest).epsilon(1e-6));
    // Informed of a previous life of 10 s, it answers by another curve.
    const auto prepared = predictor.prepared_for([&] {
      return std::vector<SpotTraits>{{.instance = 5,
                                      .resources = {2, 4},
                                      .requested_at = placed,
                                      .previous_lifetime = std::chrono::seconds(10)}};
    });
    std::vector<LifePoint> other(4);
    model->fill_curve({0, 3, 0, 0}, other);
    prepared->predict({&spot, 1}, now, placed + std::chrono::seconds(70), remaining);
    const double prepared_rest =
        expected_rest(model->grid(), other, static_cast<double>(age), 70'000'000.0);
    CHECK(static_cast<double>(remaining[0].count()) ==
          doctest::Approx(prepared_rest).epsilon(1e-6));
    if (age < 40'000'000) CHECK(prepared_rest > rest);  // a lower hazard in the first interval
  }
}

TEST_CASE("LpmlEvictor: options") {
  const ScratchFolder folder;
  const std::string file = folder.write("m.txt", hand_model()).string();
  CHECK(LpmlEvictor(PluginOptions("LPML", {{"model", file}, {"from_day", 1.5}}))
            .follows_fifo_until() == std::chrono::hours(36));
  CHECK(LpmlEvictor(PluginOptions{}).follows_fifo_until() == 3 * kDay);
  CHECK(LpmlEvictor(PluginOptions{}).victims_have_positive_cost());
  const auto error = [](const std::map<std::string, PluginOptions::Value>& options) {
    return error_text<ConfigError>([&] { LpmlEvictor made{PluginOptions("LPML", options)}; });
  };
  CHECK(error({{"model", file + "x"}}) == file + "x: cannot be read; expected a lifetime model");
  CHECK(error({{"model", 3.0}}) == "LPML: option 'model' must be a text");
  CHECK(error({{"horizon_day", 1e9}}).starts_with("LPML: option 'horizon_day' must be a day"));
  CHECK(error({{"network", file}}) ==
        "LPML: unknown option 'network'; valid options: from_day, horizon_day, lookahead_days, "
        "model");
}

}  // namespace
}  // namespace cospot
