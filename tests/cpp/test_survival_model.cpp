#include <doctest/doctest.h>

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "evictors/lifetime_evictor.hpp"
#include "guarantees/predictor_file.hpp"
#include "guarantees/survival_model_file.hpp"
#include "tests/cpp/error_text.hpp"
#include "tests/cpp/lifetime_fixtures.hpp"
#include "tests/cpp/scratch_folder.hpp"

namespace cospot {
namespace {

using Positions = std::vector<std::uint32_t>;

constexpr ResourceVector kShort{.vcpus = 2, .memory_mb = 4};
constexpr ResourceVector kOther{.vcpus = 2, .memory_mb = 8};

/// Of spots of 2 vcpus, 4 MiB one half ends in the first day, all others in the second; of any
/// other a quarter ends in the first day, a third of the rest in the second.
const std::string kModel =
    "cospot-survival-model 1\n"
    "# made by hand\n"
    "flavors 1\n"
    "2 4 0\n"
    "intervals 2\n"
    "86400 0.5 0.25\n"
    "172800 1 0.333333333333333333\n"
    "end\n";

std::string survival_model_error(const std::string& text) {
  return error_text<ConfigError>([&] { (void)parse_survival_model(text, "m.txt"); });
}

std::string with(const std::string& line, const std::string& other) {
  std::string text = kModel;
  return text.replace(text.find(line), line.size(), other);
}

RunningSpot spot_placed_at(const ResourceVector& resources, SimTime placed_at) {
  return {.resources = resources, .placed_at = placed_at};
}

double days_left(const LifetimePredictor& predictor, const ResourceVector& resources, double age,
                 double until) {
  const auto time = [](double days) {
    return SimTime(static_cast<std::int64_t>(days * static_cast<double>(kDay.count())));
  };
  const RunningSpot one = spot_placed_at(resources, -time(age));
  std::array<SimTime, 1> remaining{};
  predictor.predict({&one, 1}, SimTime(0), time(until), remaining);
  return static_cast<double>(remaining[0].count()) / static_cast<double>(kDay.count());
}

TEST_CASE("SurvivalPredictor: remaining life by size and age, worked by hand") {
  const SurvivalPredictor predictor(parse_survival_model(kModel, "m.txt"));
  // Survival of 2x4: 1, 1/2, 0. From 0: (1 + 1/2) / 2 + (1/2 + 0) / 2 = 1 day.
  CHECK(days_left(predictor, kShort, 0, 90) == doctest::Approx(1.0));
  // At half a day 3/4 live: (3/4 + 1/2) / 2 * 1/2 + 1/4 = 9/16 of 3/4: 3/4 day.
  CHECK(days_left(predictor, kShort, 0.5, 90) == doctest::Approx(0.75));
  // After a day they end evenly within the second: half a day.
  CHECK(days_left(predictor, kShort, 1, 90) == doctest::Approx(0.5));
  // Any other: 1, 3/4, 1/2, and then nobody ends. To day 10 from 0:
  // 7/8 + 5/8 + 8 * 1/2 = 5.5 days; at 2 days what is left to day 10 of the age, 8 days.
  CHECK(days_left(predictor, kOther, 0, 10) == doctest::Approx(5.5));
  CHECK(days_left(predictor, kOther, 2, 8) == doctest::Approx(8.0));
  CHECK(days_left(predictor, kOther, 7, 90) == doctest::Approx(90.0));
  // Memory and disk are part of the size. Nothing is left at the horizon.
  CHECK(days_left(predictor, {2, 4, 1}, 0, 10) == doctest::Approx(5.5));
  CHECK(days_left(predictor, kOther, 3, 0) == 0);
}

TEST_CASE("LpkmEvictor: evicts whom its curves expect to end first") {
  const ScratchFolder folder;
  const std::string file = folder.write("m.txt", kModel).string();
  const auto victims = [&](const std::vector<RunningSpot>& spots, double lookahead = 0) {
    const LpkmEvictor evictor(
        PluginOptions("LPKM", {{"model", file}, {"lookahead_days", lookahead}}));
    EvictionPlan plan;
    REQUIRE(evictor.make_plan({.spots = spots, .shortfall = {.vcpus = 2}, .now = 10 * kDay},
                              kNoScoreLimit, plan));
    return plan.victims;
  };
  // FIFO and YJF would take the first and the last; the one of the short-lived size goes.
  CHECK(victims({spot_placed_at(kOther, 8 * kDay), spot_placed_at(kShort, 9 * kDay),
                 spot_placed_at(kOther, 10 * kDay)}) == Positions{1});
  // Of one size the young one goes: at age 0 it lives 1/2 * 78 days + 1.5 to day 90, at 2 days 80.
  CHECK(victims({spot_placed_at(kOther, 8 * kDay), spot_placed_at(kOther, 10 * kDay)}) ==
        Positions{1});
  // Of the other the old one: 0.25 days at 1.5 days of age, 1 day at 0.
  const SimTime half_past_eight = 8 * kDay + kDay / 2;
  CHECK(victims({spot_placed_at(kShort, half_past_eight), spot_placed_at(kShort, 10 * kDay)}) ==
        Positions{0});
  // With a horizon half a day ahead: at age 0 of kOther (1 + 7/8) / 2 * 1/2 = 0.47 days, at 2 days
  // 0.5; the order is the same, whatever the calendar says.
  CHECK(victims({spot_placed_at(kOther, 8 * kDay), spot_placed_at(kOther, 10 * kDay)}, 0.5) ==
        Positions{1});
}

TEST_CASE("LpkmEvictor: a horizon that has passed counts nothing, one ahead of now does") {
  const std::array spots{spot_placed_at(kOther, 998 * kDay), spot_placed_at(kOther, 1000 * kDay)};
  const EvictionCase eviction{.spots = spots, .shortfall = {.vcpus = 2}, .now = 1000 * kDay};
  const ScratchFolder folder;
  const std::string file = folder.write("m.txt", kModel).string();
  EvictionPlan plan;
  // After a stated day 90 both are worth the least, a microsecond of 2 vcpus; the older goes.
  REQUIRE(LpkmEvictor(PluginOptions("LPKM", {{"model", file}, {"horizon_day", 90.0}}))
              .make_plan(eviction, kNoScoreLimit, plan));
  CHECK(plan.victims == Positions{0});
  CHECK(plan.score == doctest::Approx(2e-6));
  // Ten days ahead the young one loses 5.5 days of 2 vcpus, as above, the old one 10.
  REQUIRE(LpkmEvictor(PluginOptions("LPKM", {{"model", file}, {"lookahead_days", 10.0}}))
              .make_plan(eviction, kNoScoreLimit, plan));
  CHECK(plan.victims == Positions{1});
  CHECK(plan.score == doctest::Approx(11 * 86400.0));
}

TEST_CASE("LpkmEvictor: options") {
  CHECK(LpkmEvictor(PluginOptions{}).follows_fifo_until() == 3 * kDay);
  CHECK(LpkmEvictor(PluginOptions{}).victims_have_positive_cost());
  CHECK(LpkmEvictor::kInfo.is_for_nova());
  CHECK(LpkmEvictor::kInfo.needs_lifetime_model());
  const auto error = [](const std::map<std::string, PluginOptions::Value>& options) {
    return error_text<ConfigError>([&] { LpkmEvictor made{PluginOptions("LPKM", options)}; });
  };
  const ScratchFolder folder;
  const std::string network = folder.write("n.txt", hand_model()).string();
  CHECK(error({{"model", network}}) ==
        network +
            ":1: found 'cospot-lifetime-model', expected 'cospot-survival-model 1': this is "
            "no survival model");
  CHECK(error({{"model", network + "x"}}) ==
        network + "x: cannot be read; expected a lifetime model");
  CHECK(
      error({{"lookahead_days", -1e9}}).starts_with("LPKM: option 'lookahead_days' must be a day"));
  CHECK(error({{"victims", 3.0}}) ==
        "LPKM: unknown option 'victims'; valid options: from_day, horizon_day, lookahead_days, "
        "model");
}

TEST_CASE("model_kind: by the first word of a file") {
  const ScratchFolder folder;
  const std::string survival = folder.write("s.txt", kModel).string();
  CHECK(model_kind(survival) == KnownLifetimes::kSurvival);
  CHECK(model_kind(folder.write("n.txt", hand_model()).string()) == KnownLifetimes::kPredicted);
  CHECK(days_left(*read_predictor(KnownLifetimes::kSurvival, survival), kShort, 0, 90) ==
        doctest::Approx(1.0));
  const std::string wrong =
      error_text<ConfigError>([&] { (void)read_predictor(KnownLifetimes::kPredicted, survival); });
  CHECK(contains(wrong, "found 'cospot-survival-model', expected 'cospot-lifetime-model 1'"));
}

TEST_CASE("SurvivalModel: a file of another shape is refused by line") {
  REQUIRE(survival_model_error(kModel).empty());
  CHECK(survival_model_error("") ==
        "m.txt:1: the file ends here, expected 'cospot-survival-model 1': it is not complete");
  CHECK(survival_model_error(with("model 1", "model 2")) ==
        "m.txt:1: version '2', expected version 1");
  CHECK(survival_model_error(with("flavors 1", "flavors 2")) ==
        "m.txt:5: found 2 values, expected 3: vcpus, memory_mb, disk_gb of a flavor");
  CHECK(survival_model_error(with("intervals 2", "intervals 0")) ==
        "m.txt:5: the number of intervals is '0', expected a whole number from 1 to 100000");
  CHECK(survival_model_error(with("0.5 0.25", "0.5")) ==
        "m.txt:6: found 2 values, expected 3: the end of an interval, in seconds, and the hazards "
        "of the flavors and of any other");
  for (const std::string hazard : {"nan", "-0.1", "1.5", "inf", "half"}) {
    CHECK(survival_model_error(with("0.5 0.25", hazard + " 0.25")) ==
          "m.txt:6: a hazard is '" + hazard + "', expected a number from 0 to 1");
  }
  CHECK(survival_model_error(with("172800 1", "86400 1")) ==
        "m.txt:7: the end 86400 s is not after the one before, 86400 s");
  CHECK(survival_model_error(kModel + "more\n") == "m.txt:9: more lines after 'end'");
  for (std::size_t bytes = 0; bytes + 2 < kModel.size(); ++bytes) {
    CAPTURE(bytes);
    REQUIRE_FALSE(survival_model_error(kModel.substr(0, bytes)).empty());
  }
}

TEST_CASE("SurvivalModel: the built-in one can be used") {
  const SurvivalTable& table = built_in_survival_model()->table();
  CHECK(table.interval_ends.back() >= kDay);
  CHECK(table.hazards.size() == table.flavors.size() + 1);
  CHECK(built_in_survival_model() == built_in_survival_model());
}

}  // namespace
}  // namespace cospot
