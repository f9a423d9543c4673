// The Economy class: slack, prediction cycles, promises and what they come to. The numbers are
// those of Carvalho et al. (SoCC 2014), or worked out in a comment.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/errors.hpp"
#include "core/random.hpp"
#include "error_text.hpp"
#include "guarantees/economy/backtest.hpp"
#include "guarantees/economy/forecast.hpp"
#include "guarantees/economy/prediction_cycles.hpp"
#include "guarantees/economy/promise.hpp"
#include "guarantees/economy/slack.hpp"

namespace cospot {
namespace {

constexpr SimTime kUsageHour = std::chrono::hours(1);

UsageSample sample_at(SimTime time, std::int64_t capacity, std::int64_t used) {
  return {.time = time, .capacity = capacity * kSlackUnit, .used = used * kSlackUnit};
}

TEST_CASE(
    "smoothed_forecast: the constant of least squares, an error that grows with the horizon") {
  // First level 1.5. With alpha a the errors are -0.5 and 2 - (1.5 - 0.5 a) = 0.5 + 0.5 a: least at
  // the least a, 0.001. Level: 1.4995 + 0.001 x 0.5005 = 1.5000005; squares 0.25 + 0.5005^2.
  const Forecast two = smoothed_forecast(std::vector{1.0, 2.0}, 3);
  REQUIRE(two.point.size() == 3);
  CHECK(two.point[0] == doctest::Approx(1.5000005).epsilon(1e-9));
  CHECK(two.point[2] == two.point[0]);
  const double squares = 0.25 + 0.5005 * 0.5005;
  CHECK(two.sigma[0] == doctest::Approx(std::sqrt(squares)));
  CHECK(two.sigma[2] == doctest::Approx(std::sqrt(squares * (1 + 2 * 1e-6))));
  // What steps up for good is followed: the last level is nearly the last value.
  std::vector<double> steps(40, 10.0);
  for (std::size_t i = 20; i < 40; ++i) steps[i] = 20;
  CHECK(smoothed_forecast(steps, 1).point[0] == doctest::Approx(20).epsilon(1e-3));
  const Forecast constant = smoothed_forecast(std::vector<double>(30, 0.4), 2);
  CHECK(constant.point[1] == doctest::Approx(0.4));
  CHECK(constant.sigma[1] == doctest::Approx(0));
}

TEST_CASE("slack: reservation, allocation and usage add up to capacity - usage, exactly") {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const auto draw = [&random] { return static_cast<SlackAmount>(random.below(kMaxSlackAmount)); };
    UsageSample sample{.time = SimTime(0), .capacity = draw(), .used = draw()};
    if (i % 2 == 0) sample.reserved = draw();
    if (i % 3 == 0) sample.limit = draw();
    CHECK(slack_of(sample).total() == sample.capacity - sample.used);
  }
  // Of 100: 70 reserved, 50 given away, 20 used.
  const Slack slack =
      slack_of({.time = SimTime(0), .capacity = 100, .used = 20, .reserved = 70, .limit = 50});
  CHECK(slack.reservation == 30);
  CHECK(slack.allocation == 20);
  CHECK(slack.usage == 30);
}

TEST_CASE("period minima: the least slack of every whole period") {
  UsageSeries usage{.name = "u"};
  // Day 0 is sampled from 06:00 on, day 3 until 12:00: neither is whole.
  for (int hour = 6; hour < 84; hour += 6) {
    usage.samples.push_back(sample_at(hour * kUsageHour, hour < 48 ? 100 : 200, hour));
  }
  const SlackPeriods days = period_minima(usage, kDay);
  CHECK(days.first == 1);
  // Day 1: 100 - 42; day 2: 200 - 66.
  CHECK(days.slack == std::vector<SlackAmount>{58 * kSlackUnit, 134 * kSlackUnit});
  CHECK(days.capacity == std::vector<SlackAmount>{100 * kSlackUnit, 200 * kSlackUnit});
}

TEST_CASE("period minima: usage that holds until the next sample reaches into later periods") {
  UsageSeries usage{.name = "u", .holds_until_next = true};
  usage.samples = {sample_at(SimTime(0), 10, 4), sample_at(12 * kUsageHour, 10, 7),
                   sample_at(60 * kUsageHour, 10, 1), sample_at(72 * kUsageHour, 10, 1)};
  const SlackPeriods days = period_minima(usage, kDay);
  // 7 are used from noon of day 0 to noon of day 2.
  CHECK(days.slack == std::vector<SlackAmount>(3, 3 * kSlackUnit));
}

TEST_CASE("period minima: gaps are refused, or repeat the period before") {
  UsageSeries usage{.name = "pool.csv"};
  for (const int hour : {0, 12, 24, 36, 96, 108, 120, 132}) {
    usage.samples.push_back(sample_at(hour * kUsageHour, 100, hour));
  }
  CHECK(error_text<InputError>([&] { (void)period_minima(usage, kDay); }) ==
        "pool.csv: there is no sample from time_s 172800 to 259200, expected at least one in every "
        "period of 24 h; `gaps: repeat` takes the period before for it");
  const SlackPeriods days = period_minima(usage, kDay, GapRule::kRepeat);
  const std::vector<SlackAmount> expected{88, 64, 64, 64, -8, -32};  // 100 - the last of each day
  REQUIRE(days.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    CHECK(days.slack[i] == expected[i] * kSlackUnit);
  CHECK(days.repeated == 2);
  usage.samples.resize(1);
  CHECK(contains(error_text<InputError>([&] { (void)period_minima(usage, kDay); }),
                 "the samples cover no whole period of 24 h"));
}

TEST_CASE("prediction cycles: 45 months are 6 cycles, 33 months 4, in months and in days") {
  const CycleSettings months{.training = 9, .horizon = 6, .step = 6};
  CHECK(prediction_cycles(45, months).size() == 6);
  CHECK(prediction_cycles(33, months).size() == 4);
  CHECK(prediction_cycles(14, months).empty());
  CHECK(prediction_cycles(45, months).front() == PredictionCycle{9, 15});
  CHECK(prediction_cycles(45, months).back() == PredictionCycle{39, 45});
  // April 2010 to December 2013 are 1,371 days; 33 months of them 1,005.
  CHECK(prediction_cycles(1371, {}).size() == 6);
  CHECK(prediction_cycles(1005, {}).size() == 4);
}

TEST_CASE("two-sided z of the paper's confidence levels") {
  CHECK(std::abs(two_sided_z(0.5) - 0.6745) < 1e-4);
  CHECK(std::abs(two_sided_z(0.6) - 0.8416) < 1e-4);
  CHECK(std::abs(two_sided_z(0.7) - 1.0364) < 1e-4);
  CHECK(std::abs(two_sided_z(0.8) - 1.2816) < 1e-4);
  CHECK(std::abs(two_sided_z(0.9) - 1.6449) < 1e-4);
  CHECK(two_sided_z(0) == 0);
}

TEST_CASE("forecasts: the promise is the least lower bound") {
  const std::vector<double> training{0.2, 0.4, 0.6};
  const Forecast mean = mean_forecast(training);
  // Mean 0.4; squares 0.04 + 0 + 0.04, over 2: sd 0.2.
  CHECK(mean.point.front() == doctest::Approx(0.4));
  CHECK(mean.sigma.front() == doctest::Approx(0.2));
  CHECK(lowest_bound(mean, 0.5) == doctest::Approx(0.4 - 0.67449 * 0.2).epsilon(1e-6));
  CHECK(minimum_forecast(training).point.front() == 0.2);
  CHECK(lowest_bound(minimum_forecast(training), 0.9) == 0.2);
  // Points fall more slowly than the interval widens: 0.5 - 1.6449 * 0.1, 0.55 - 1.6449 * 0.2.
  const Forecast widening{.point = {0.5, 0.55}, .sigma = {0.1, 0.2}};
  CHECK(lowest_bound(widening, 0.9) == doctest::Approx(0.55 - 1.644854 * 0.2).epsilon(1e-6));
  CHECK(lowest_bound(widening, 0) == 0.5);
  CHECK(mean_forecast(std::vector<double>{0.3}).sigma.front() == 0);
}

TEST_CASE("promise: 2 short days of 182 are an availability of 98.90 %") {
  std::vector<double> actual(182, 0.5);
  actual[10] = actual[100] = 0.3;
  const PromiseOutcome outcome = judge_promise(0.4, actual);
  CHECK(outcome.availability == doctest::Approx(180.0 / 182));
  CHECK(std::round(outcome.availability * 1e4) / 100 == 98.90);
  CHECK(outcome.short_periods == 2);
  CHECK(outcome.wastage == doctest::Approx(180 * 0.1 / 182));
  CHECK(outcome.shortage == doctest::Approx(2 * 0.1 / 182));
  // Days 10 and 100 are in the first and the fourth of seven bills (the last of 2 days): each
  // 29 / 30 available, below 99 %. 60 of 182 days are paid back by 30 %.
  CHECK(penalty_share(0.4, actual, {}) == doctest::Approx(0.3 * 60 / 182));
  CHECK(penalty_share(0.4, actual, {.bill_periods = 0}) == doctest::Approx(0.3));
  CHECK(penalty_share(0.4, actual, {.threshold = 0.9, .bill_periods = 0}) == 0);
}

TEST_CASE("promise: an availability at the threshold pays by the formula, not by the text") {
  std::vector<double> actual(100, 0.5);
  actual[0] = 0.1;  // 99 of 100
  const double threshold = judge_promise(0.4, actual).availability;
  CHECK(penalty_share(0.4, actual, {.threshold = threshold, .bill_periods = 0}) == 0.3);
  CHECK(penalty_share(0.4, actual,
                      {.threshold = threshold, .at_threshold = false, .bill_periods = 0}) == 0);
}

double theta(double economy, double slack, double price, double penalty = 0, bool on_all = true) {
  return *profit_ratio(promise_revenue(economy, slack, penalty, {.economy = price}, on_all));
}

TEST_CASE("profit ratio: the paper's own cases") {
  CHECK(std::abs(theta(0.173, 0.346, 0.7) - 1.601) < 5e-4);
  CHECK(std::abs(theta(0.067, 0.366, 0.7) - 1.220) < 5e-4);
  CHECK(std::abs(theta(0.4, 0.4, 1) - 3.145) < 5e-4);
  CHECK(std::abs(theta(0.1, 0.4, 0.3) - 0.986) < 5e-4);
  // A penalty of 30 % on all revenue multiplies by 0.7; on the Economy class alone by less:
  // (0.173 * 0.7 * 0.7 + 0.173 * 0.318) / (0.346 * 0.318) = 0.139784 / 0.110028.
  CHECK(theta(0.173, 0.346, 0.7, 0.3) == doctest::Approx(0.7 * theta(0.173, 0.346, 0.7)));
  CHECK(theta(0.173, 0.346, 0.7, 0.3, false) == doctest::Approx(0.139784 / 0.110028));
  CHECK_FALSE(profit_ratio(promise_revenue(0.1, 0, 0, {}, true)).has_value());
}

/// Some made-up months of slack: a walk with noise, between 0 and 1.
std::vector<double> random_slack(std::uint64_t seed, std::size_t count) {
  Random random(seed);
  std::vector<double> values;
  double level = 0.5;
  for (std::size_t i = 0; i < count; ++i) {
    const auto step = [&random] { return static_cast<double>(random.below(2001)) / 1000 - 1; };
    level = std::clamp(level + 0.01 * step(), 0.1, 0.9);
    values.push_back(std::clamp(level + 0.1 * step(), 0.0, 1.0));
  }
  return values;
}

CycleData cycle_of(const std::vector<double>& values, std::size_t begin) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(begin);
  return {.cycle = {begin, values.size()},
          .capacity = kSlackUnit,
          .training = {values.begin(), at},
          .actual = {at, values.end()}};
}

TEST_CASE("oracle: no shortage, availability 1, and no larger constant has that") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const CycleData data = cycle_of(random_slack(seed, 456), 274);
    const CycleOutcome outcome = judge_cycle(oracle_forecast(data.actual), data, {});
    CHECK(outcome.promise.shortage == 0);
    CHECK(outcome.promise.wastage >= 0);
    CHECK(outcome.promise.availability == 1);
    CHECK(judge_promise(outcome.promise.quantity + 1e-9, data.actual).availability < 1);
  }
}

TEST_CASE("more confidence: not more promised, not less available, not less wasted") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const CycleData data = cycle_of(random_slack(seed, 456), 274);
    Forecast widening = mean_forecast(data.training);
    for (int h = 1; h < 10; ++h) {  // as of a model whose interval widens
      widening.point.push_back(widening.point.front() - 0.001 * h);
      widening.sigma.push_back(widening.sigma.front() * std::sqrt(1.0 + h));
    }
    for (const Forecast& forecast : {mean_forecast(data.training), widening}) {
      PromiseOutcome before{.quantity = 2, .wastage = -1, .availability = 0};
      for (const double confidence : {0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99}) {
        const PromiseOutcome now = judge_cycle(forecast, data, {.confidence = confidence}).promise;
        CHECK(now.quantity <= before.quantity);
        CHECK(now.availability >= before.availability);
        CHECK(now.wastage >= before.wastage);
        before = now;
      }
    }
  }
}

TEST_CASE("minimum: below the oracle just where the training series was once lower") {
  const CycleData lower = cycle_of({0.1, 0.6, 0.4, 0.5}, 2);
  const CycleData higher = cycle_of({0.5, 0.6, 0.4, 0.5}, 2);
  const auto quantity = [](const Forecast& forecast) {
    return promised_quantity(forecast, PromiseSettings{});
  };
  CHECK(quantity(minimum_forecast(lower.training)) < quantity(oracle_forecast(lower.actual)));
  CHECK(quantity(minimum_forecast(higher.training)) > quantity(oracle_forecast(higher.actual)));
}

TEST_CASE("quantity: below 0 only without the clamp") {
  const Forecast low{.point = {0.1}, .sigma = {0.2}};
  CHECK(promised_quantity(low, {.confidence = 0.9}) == 0);
  CHECK(promised_quantity(low, {.confidence = 0.9, .clamp = false}) ==
        doctest::Approx(0.1 - 0.2 * 1.644854));
}

TEST_CASE("cycles: data are relative to the capacity when the prediction is made") {
  SlackPeriods periods;
  periods.slack = {50, 60, 70, 300, 80};
  periods.capacity = {100, 100, 200, 400, 400};
  const auto cycles = backtest_cycles(periods, {.training = 3, .horizon = 2, .step = 2});
  REQUIRE(cycles.size() == 1);
  CHECK(cycles[0].capacity == 200);  // of the last known period
  CHECK(cycles[0].training == std::vector<double>{0.25, 0.3, 0.35});
  CHECK(cycles[0].actual == std::vector<double>{1.5, 0.4});  // over 1: it grew
  const CycleData next = next_cycle(periods, {.training = 3, .horizon = 2, .step = 2});
  CHECK(next.training.size() == 5);
  CHECK(next.actual.empty());
}

TEST_CASE("backtest: means over cycles, theta over all that they earn") {
  const CycleData data{.cycle = {1, 3}, .capacity = 1, .training = {0.5}, .actual = {0.4, 0.6}};
  const PromiseSettings settings{.confidence = 0, .penalty = {.bill_periods = 0}};
  const Forecast low{.point = {0.2}, .sigma = {0}}, high{.point = {0.5}, .sigma = {0}};
  const std::vector<CycleOutcome> outcomes{judge_cycle(low, data, settings),
                                           judge_cycle(high, data, settings)};
  const BacktestResult result = sum_up(outcomes, {.economy = 0.7}, true);
  CHECK(result.cycles == 2);
  CHECK(result.kept == 1);  // 0.5 is short in a period of two
  CHECK(result.quantity == doctest::Approx(0.35));
  CHECK(result.quantity_sd == doctest::Approx(0.3 / std::sqrt(2.0)));
  CHECK(result.availability == doctest::Approx(0.75));
  CHECK(result.availability_least == doctest::Approx(0.5));
  CHECK(result.wastage == doctest::Approx((0.3 + 0.05) / 2));
  CHECK(result.shortage == doctest::Approx(0.05 / 2));
  CHECK(result.slack == doctest::Approx(0.4));
  CHECK(result.penalty == doctest::Approx(0.15));
  // 0.2 * 0.7 + 0.2 * 0.318 = 0.2036; (0.5 * 0.7 - 0.1 * 0.318) * 0.7 = 0.22274; over 0.8 * 0.318.
  CHECK(*result.theta == doctest::Approx((0.2036 + 0.22274) / 0.2544));
}

TEST_CASE("a promise is kept if no bill is paid back, whatever comes after the promised time") {
  // 0.5 is promised from period 3 to 4 (a test), and less than that is left just afterwards.
  SlackPeriods periods;
  periods.slack = {5, 5, 5, 5, 5, 1, 1};
  periods.capacity.assign(periods.slack.size(), 10);
  const auto cycles = backtest_cycles(periods, {.training = 3, .horizon = 2, .step = 3});
  REQUIRE(cycles.size() == 1);
  const CycleOutcome kept = judge_cycle(minimum_forecast(cycles[0].training), cycles[0], {});
  CHECK(kept.is_kept);
  CHECK(kept.promise.short_periods == 0);
  CHECK_FALSE(judge_cycle({.point = {0}, .sigma = {0}}, cycles[0], {}).is_kept);  // of nothing
  // 1 of 200 periods is short, and the bills are of 100: 99.5 % of all, but 99 % of the first bill.
  std::vector<double> actual(200, 0.5);
  actual[7] = 0.4;
  CHECK(periods_paid_back(0.5, actual, {.bill_periods = 0}) == 0);
  CHECK(periods_paid_back(0.5, actual, {.bill_periods = 100}) == 100);
  CHECK(periods_paid_back(0.5, actual, {.at_threshold = false, .bill_periods = 100}) == 0);
  // No money is paid back, but the promise is broken.
  CHECK(periods_paid_back(0.5, actual, {.rate = 0, .bill_periods = 100}) == 100);
}

TEST_CASE("best_forecaster: the most that is promised of those that kept enough, or kept most") {
  using Records = std::vector<PromiseRecord>;
  const Records all{{.quantity = 0.3, .kept = 8, .tests = 10},
                    {.quantity = 0.1, .kept = 10, .tests = 10},
                    {.quantity = 0.2, .kept = 9, .tests = 10}};
  CHECK(best_forecaster(all, 0.8) == 0);
  CHECK(best_forecaster(all, 0.9) == 2);  // 9 of 10 are just enough
  CHECK(best_forecaster(all, 0.91) == 1);
  const Records broken{{.quantity = 0.5, .kept = 1, .tests = 4},
                       {.quantity = 0.1, .kept = 2, .tests = 4},
                       {.quantity = 0.3, .kept = 2, .tests = 4}};
  CHECK(best_forecaster(broken, 0.9) == 1);  // as many as the third; the first of equals
  CHECK(best_forecaster(broken, 0) == 0);
  const Records equal(2, {.quantity = 0.5, .kept = 2, .tests = 2});
  CHECK(best_forecaster(equal, 0.9) == 0);
  // 0.57 * 100 is 56.99... in floating point, and 57 of 100 are enough.
  CHECK(PromiseRecord{.kept = 57, .tests = 100}.keeps(0.57));
  CHECK_FALSE(PromiseRecord{.kept = 56, .tests = 100}.keeps(0.57));
}

}  // namespace
}  // namespace cospot
