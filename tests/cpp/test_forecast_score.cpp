// How good probabilities were: expected values are worked out by hand.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "guarantees/signals/forecast_score.hpp"
#include "guarantees/signals/mixed_forecast.hpp"
#include "guarantees/signals/odds_recalibration.hpp"
#include "guarantees/signals/shrunk_frequency.hpp"
#include "guarantees/sla/lifetime_quantiles.hpp"

namespace cospot {
namespace {

using doctest::Approx;

TEST_CASE("forecast score: Brier score, skill and its interval") {
  ForecastScore score(3);
  CHECK(score.cases() == 0);
  CHECK_FALSE(score.skill());
  CHECK_FALSE(score.largest_gap(1));
  // Ten times each, as a skill needs ten cases of each outcome; this cancels out.
  for (int i = 0; i < 10; ++i) score.add(0, 0.8, 0.5, true);  // loss 0.04, reference 0.25
  for (int i = 0; i < 9; ++i) score.add(0, 0.6, 0.5, false);  // loss 0.36, reference 0.25
  CHECK_FALSE(score.skill());                                 // nine are too few
  score.add(0, 0.6, 0.5, false);
  CHECK_FALSE(score.skill()->half_width);  // of one fold
  // Loss 0, reference 0.25; fold 1 stays empty.
  for (int i = 0; i < 10; ++i) score.add(2, 1, 0.5, true);
  CHECK(score.cases() == 30);
  CHECK(score.brier() == Approx(0.4 / 3));
  CHECK(score.reference_brier() == Approx(0.25));
  CHECK(score.observed() == Approx(2.0 / 3));
  CHECK(score.mean_forecast() == Approx(2.4 / 3));
  // 1 - 0.40 / 0.75 = 7/15. Without the first fold 1 - 0 / 0.25 = 1, without the other 1 - 0.4 /
  // 0.5 = 0.2: deviation sqrt(1/2 x (0.4^2 + 0.4^2)) = 0.4. Student's t of 1 degree of
  // freedom: 12.7062.
  const Skill skill = *score.skill();
  CHECK(skill.skill == Approx(7.0 / 15));
  CHECK(*skill.half_width == Approx(12.7062 * 0.4).epsilon(1e-5));
  CHECK_FALSE(skill.is_positive());
  CHECK(Skill{.skill = 0.3, .half_width = 0.2}.is_positive());
  CHECK_FALSE(Skill{.skill = 0.3}.is_positive());
}

TEST_CASE("skill: of parts that may be workloads, as of folds") {
  const std::vector<SkillPart> parts{{.loss = 0.4, .reference_loss = 0.5},
                                     {.loss = 0, .reference_loss = 0.25}};
  CHECK(skill_of(parts)->skill == Approx(7.0 / 15));
  CHECK(*skill_of(parts)->half_width == Approx(12.7062 * 0.4).epsilon(1e-5));
  CHECK_FALSE(skill_of({}));
}

TEST_CASE(
    "skill: one part that has nearly all of the loss tells nothing of how sure the skill is") {
  const std::vector<SkillPart> parts{{.loss = 50, .reference_loss = 100},
                                     {.loss = 0.3, .reference_loss = 0.2},
                                     {.loss = 0.1, .reference_loss = 0.2}};
  // 1 - 50.4 / 100.4 is about 0.5; without the first part it is 1 - 0.4 / 0.4 = 0.
  CHECK(skill_of(parts)->skill == Approx(0.498).epsilon(1e-3));
  CHECK_FALSE(skill_of(parts)->is_positive());
  // Without the first nothing is left to compare with.
  const std::vector<SkillPart> alone{{.loss = 50, .reference_loss = 100}, {}};
  CHECK(skill_of(alone)->skill == Approx(0.5));
  CHECK_FALSE(skill_of(alone)->half_width);
}

TEST_CASE("forecast score: a reference without a mistake leaves no skill to have") {
  ForecastScore score(2);
  for (std::size_t i = 0; i < 20; ++i) score.add(0, 0.2, i % 2 == 0 ? 1 : 0, i % 2 == 0);
  CHECK(score.has_enough_outcomes());
  CHECK_FALSE(score.skill());
}

TEST_CASE("forecast score: deciles hold their lower end, and the last one 1") {
  ForecastScore score(2);
  score.add(0, 0, 0, false);
  score.add(0, 0.1, 0, true);
  score.add(0, 0.15, 0, false);
  score.add(0, 1, 0, true);
  const auto& bins = score.bins();
  CHECK(bins[0].cases == 1);
  CHECK(bins[1].cases == 2);
  CHECK(bins[1].mean_forecast() == Approx(0.125));
  CHECK(bins[1].observed() == Approx(0.5));
  CHECK(bins[9].cases == 1);
  CHECK(*score.largest_gap(2) == Approx(0.375));  // of the second decile, the only one of two cases
  CHECK(*score.largest_gap(1) == Approx(0.375));
}

TEST_CASE("forecast score: a decile is off if 100 cases or more were off by more than 5 points") {
  ForecastScore score(1);
  // 44 of 99 happened: 19.4 points off, but of fewer than 100 cases.
  for (int i = 0; i < 99; ++i) score.add(0, 0.25, 0.5, i < 44);
  CHECK_FALSE(score.bin_of(0.25).is_off());
  score.add(0, 0.25, 0.5, false);  // 44 of 100
  CHECK(score.bin_of(0.25).gap() == Approx(0.19));
  CHECK(score.bin_of(0.25).is_off());
  CHECK(score.bin_of(0.29).is_off());  // the same decile
  CHECK_FALSE(score.bin_of(0.3).is_off());
  // 26 of 100 and 24 of 100 against 0.3125 are 5.25 and 7.25 points; 27 are 4.25.
  for (const auto& [happened, is_off] : {std::pair(24, true), {26, true}, {27, false}}) {
    ForecastScore other(1);
    for (int i = 0; i < 100; ++i) other.add(0, 0.3125, 0.5, i < happened);
    CHECK(other.bin_of(0.3125).is_off() == is_off);
  }
  ForecastScore sure(1);
  for (int i = 0; i < 100; ++i) sure.add(0, 1, 0.5, i < 90);  // 1 lies in the last decile
  CHECK(sure.bin_of(0.95).is_off());
}

TEST_CASE("odds recalibration: two cases by hand") {
  OddsRecalibration recalibration(3);
  CHECK(recalibration.recalibrated(0.3) == Approx(0.3));
  // It did not happen with 1/2: the weight becomes 3 + 1/4, the logarithm of the factor -1/2
  // / 3.25.
  recalibration.learn(0.5, false);
  const double first = std::exp(-0.5 / 3.25);
  CHECK(recalibration.recalibrated(0.5) == Approx(first / (first + 1)));
  CHECK(recalibration.recalibrated(0.2) == Approx(0.2 * first / (0.2 * first + 0.8)));
  // It happened with odds of 1/4 x first.
  const double p = first / (first + 4);
  recalibration.learn(0.2, true);
  const double second = std::exp(-0.5 / 3.25 + (1 - p) / (3.25 + p * (1 - p)));
  CHECK(recalibration.recalibrated(0.5) == Approx(second / (second + 1)));
}

TEST_CASE("odds recalibration: forecasts that are too high come down, right ones stay") {
  OddsRecalibration of_high(3), of_right(3);
  for (int i = 0; i < 2'000; ++i) {
    of_high.learn(0.5, i % 5 == 0);  // 1 of 5
    of_right.learn(0.4, i % 5 < 2);  // 2 of 5
  }
  CHECK(of_high.recalibrated(0.5) == Approx(0.2).epsilon(0.02));
  CHECK(of_right.recalibrated(0.4) == Approx(0.4).epsilon(0.02));
  // Odds of 1 became 1/4, so odds of 4 become 1.
  CHECK(of_high.recalibrated(0.8) == Approx(0.5).epsilon(0.02));
  CHECK(of_high.recalibrated(0) == 0);
  CHECK(of_high.recalibrated(1) == 1);
  for (int i = 0; i < 5'000; ++i) of_high.learn(0, true);  // no number overflows
  CHECK(of_high.recalibrated(0) == 0);
  CHECK(of_high.recalibrated(0.5) == Approx(std::exp(5.0) / (std::exp(5.0) + 1)));
}

TEST_CASE("shrunk frequency: a group is drawn towards the one around it") {
  ShrunkFrequency frequency;
  const auto estimate = [&](const auto& bins) { return frequency.estimate(bins, 0.5, 2); };
  const std::array<std::uint16_t, 2> a1{0, 1}, a2{0, 2}, b1{1, 1}, c1{2, 1};
  CHECK(estimate(a1) == Approx(0.5));  // nothing was seen
  frequency.add(a1, true);
  frequency.add(a1, true);
  frequency.add(a2, false);
  frequency.add(b1, false);
  const double all = (2 + 0.5) / (4 + 1);    // 0.5
  const double a = (2 + 2 * all) / (3 + 2);  // 0.6
  CHECK(estimate(a1) == Approx((2 + 2 * a) / (2 + 2)));
  CHECK(estimate(a2) == Approx((0 + 2 * a) / (1 + 2)));
  CHECK(estimate(c1) == Approx(all));  // none of its kind
  const double b = (0 + 2 * all) / (1 + 2);
  CHECK(estimate(b1) == Approx((0 + 2 * b) / (1 + 2)));
}

TEST_CASE("forecast score: no skill is claimed where one outcome was hardly ever seen") {
  ForecastScore score(4);
  // 400 times 0 less than 400 times 0.01: a skill of 1, if it were one.
  for (int i = 0; i < 400; ++i) score.add(static_cast<std::size_t>(i % 4), 1, 0.9, true);
  CHECK_FALSE(score.has_enough_outcomes());
  CHECK_FALSE(score.skill());
  CHECK_FALSE(score.has_skill());
  for (int i = 0; i < 9; ++i) score.add(static_cast<std::size_t>(i % 4), 0, 0.9, false);
  CHECK_FALSE(score.has_skill());
  score.add(0, 0, 0.9, false);  // the tenth
  CHECK(score.has_skill());
  CHECK(score.skill()->is_positive());
}

TEST_CASE("mixed forecast: the mean at first, then by what each way lost") {
  MixedForecast<2> mix(1);
  CHECK(mix.mix({0.5, 0.9}) == Approx(0.7));
  mix.learn({0.5, 0.9}, true);  // losses 0.25 and 0.01: the second weighs exp(0.24) times as much
  const double weight = std::exp(0.24);
  CHECK(mix.mix({0.2, 0.4}) == Approx((0.2 + weight * 0.4) / (1 + weight)));
  mix.learn({0.2, 0.9}, false);  // 0.29 and 0.82
  const double less = std::exp(-0.53);
  CHECK(mix.mix({0.2, 0.4}) == Approx((0.2 + less * 0.4) / (1 + less)));
}

TEST_CASE("mixed forecast: a way that is far behind counts for nothing, and nothing overflows") {
  MixedForecast<2> mix(1);
  for (int i = 0; i < 2'000; ++i) mix.learn({0, 1}, true);
  CHECK(mix.mix({0.25, 0.75}) == 0.75);
}

SeenLifetime seen(int hours, bool is_censored) {
  return {.lifetime = std::chrono::hours(hours), .is_censored = is_censored};
}

TEST_CASE("survival at an age: Kaplan and Meier by hand") {
  // Evicted after 1, 3, 3 and 6 h; ended by themselves after 2 and 7 h. At 1 h 1 of 6 is evicted,
  // at 3 h 2 of 4, at 6 h 1 of 2: 5/6, 5/12, 5/24.
  const std::vector<SeenLifetime> lives{seen(1, false), seen(2, true),  seen(3, false),
                                        seen(3, false), seen(6, false), seen(7, true)};
  const auto at = [&](double hours) { return survival_at(lives, time_of_hours(hours)); };
  CHECK(at(1).share == Approx(1));  // until just before
  CHECK(at(1).known == 6);
  CHECK(at(1.5).share == Approx(5.0 / 6));
  CHECK(at(3).share == Approx(5.0 / 6));
  CHECK(at(3).known == 5);  // all but the one that ended after 2 h
  CHECK(at(4).share == Approx(5.0 / 12));
  CHECK(at(6.5).share == Approx(5.0 / 24));
  CHECK(at(6.5).known == 5);
  CHECK(at(99).share == Approx(5.0 / 24));
  CHECK(at(99).known == 4);
  CHECK(survival_at({}, SimTime{1}).known == 0);
  // The quantile is where the same curve falls to 1 - p.
  CHECK(survival_quantile(lives, 0.5) == std::chrono::hours(3));
}

}  // namespace
}  // namespace cospot
