// The strategy `quoted` of the study `deadline`: what it learns of a trace, and what it makes of
// it.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <vector>

#include "sim_harness/customer/deadline/deadline_strategies.hpp"
#include "sim_harness/customer/deadline/expected_costs.hpp"
#include "sim_harness/customer/deadline/spell_history.hpp"

namespace cospot {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

constexpr std::size_t kDown = 0, kUp = 1;

TEST_CASE("classes of age: a spell is in the next one when it has lasted that long") {
  CHECK(age_class(0) == 0);
  CHECK(age_class(0.24) == 0);
  CHECK(age_class(3 * (5 / 60.0)) == 1);  // a quarter of an hour, in ticks of five minutes
  CHECK(age_class(1) == 2);
  CHECK(age_class(3.9) == 2);
  CHECK(age_class(4) == 3);
  CHECK(age_class(16) == 4);
  CHECK(age_class(1000) == 4);
}

TEST_CASE("spell rates: the assumed ones where nothing was seen, the quote's where there is one") {
  const SpellRates assumed = SpellHistory(minutes(5)).rates();
  for (std::size_t age = 0; age < kAgeClasses; ++age) {
    CHECK(assumed[kUp][age] == doctest::Approx(SpellHistory::kAssumedRates[age]));
    CHECK(assumed[kDown][age] == doctest::Approx(SpellHistory::kAssumedRates[age]));
  }
  SpellHistory quoted(minutes(5), {.up_hours = 5, .down_hours = 2});
  for (int i = 0; i < 100; ++i) quoted.add(i % 2 == 0);
  CHECK_FALSE(quoted.learns());
  for (std::size_t age = 0; age < kAgeClasses; ++age) {
    CHECK(quoted.rates()[kUp][age] == doctest::Approx(0.2));
    CHECK(quoted.rates()[kDown][age] == doctest::Approx(0.5));
  }
}

TEST_CASE("spell rates by hand: scaled by the trace, then by what was seen in each class") {
  // Ticks of an hour: up, up, down. The second tick ends an hour of age 0, which does not end the
  // spell; the third an hour of age 1, which does. The former was seen an hour before the latter,
  // so counts e^(-1/72) = 0.986207.
  SpellHistory history(hours(1));
  history.add(true);
  history.add(true);
  CHECK(history.age_hours() == 1.0);
  history.add(false);
  CHECK(history.age_hours() == 0.0);
  // Assumed for these hours: 0.986207 x 1.6 + 1 x 0.35 = 1.927931 ends. Seen: 1. With 4 added to
  // both the factor is 5 / 5.927931 = 0.843465.
  // Up to 15 minutes: 15 / (0.986207 + 15 / (1.6 x 0.843465)) = 15 / 12.10107 = 1.239560.
  // Up to an hour, not seen: 0.9 x 0.843465 = 0.759119.
  // Up to four hours: (1 + 15) / (1 + 15 / (0.35 x 0.843465)) = 16 / 51.81076 = 0.308816.
  const SpellRates rates = history.rates();
  CHECK(rates[kUp][0] == doctest::Approx(1.239560).epsilon(1e-5));
  CHECK(rates[kUp][1] == doctest::Approx(0.759119).epsilon(1e-5));
  CHECK(rates[kUp][2] == doctest::Approx(0.308816).epsilon(1e-5));
  CHECK(rates[kDown][0] == doctest::Approx(1.6));  // the first tick of a spell shows nothing of it
}

TEST_CASE("spell rates: a long history weighs more than what was assumed") {
  // Ticks of ten minutes, in turn up for an hour and down for half an hour. Of 72 h of memory 48
  // such spells remain. Each was seen at the ages 0 and 1/6 h (16 h in all, no end), and 1/3, 1/2,
  // 2/3 and 5/6 h (32 h, 48 ends). Assumed for that: 16 x 1.6 + 32 x 0.9 = 54.4 ends, so the factor
  // is (4 + 48) / (4 + 54.4) = 0.890. Up to 15 minutes: 15 / (16 + 15 / (1.6 x 0.890)) = 0.565 an
  // hour. Up to an hour: (48 + 15) / (32 + 15 / (0.9 x 0.890)) = 1.242.
  SpellHistory history(minutes(10));
  for (int i = 0; i < 9 * 1000; ++i) history.add(i % 9 < 6);
  const SpellRates rates = history.rates();
  CHECK(rates[kUp][0] == doctest::Approx(0.565).epsilon(0.01));
  CHECK(rates[kUp][1] == doctest::Approx(1.242).epsilon(0.01));
}

TEST_CASE("spell rates: the mean price is that of the past with capacity, the last days first") {
  // Ticks of 12 hours, of which one 72 h ago weighs 1/e: e^(-1/6) a tick. 0.3 first, then no
  // capacity then, and 0.6 in the last tick: (0.3 e^(-1/3) + 0.6) / (e^(-1/3) + 1).
  SpellHistory history(hours(12));
  CHECK_FALSE(history.mean_price().has_value());
  history.add(true, 0.3);
  history.add(false);
  history.add(true, 0.6);
  const double weight = std::exp(-1 / 3.0);
  CHECK(*history.mean_price() == doctest::Approx((0.3 * weight + 0.6) / (weight + 1)));
  // A quote knows the spells, not the prices.
  const AvailabilityTrace trace{.tick = hours(12), .capacity = {1, 0, 1}, .prices = {0.3, 0, 0.6}};
  const SpellHistory quoted = spells_before(trace, 3, CapacityQuote{5, 2});
  CHECK(*quoted.mean_price() == *history.mean_price());
  CHECK(quoted.rates()[kUp][0] ==
        doctest::Approx(1 / 6.0));  // no spell is shorter than half a tick
}

/// Ticks of 10 minutes; spots for 0.6, on-demand for 3 USD/h.
DeadlineCase quoted_case(std::size_t ticks, SimTime work, SimTime overhead) {
  return {.job = {.duration = work,
                  .deadline = minutes(10) * static_cast<int>(ticks),
                  .overhead = overhead,
                  .spot_price = 0.6,
                  .on_demand_price = 3},
          .tick = minutes(10),
          .spot = std::vector<bool>(ticks)};
}

TEST_CASE("expected costs where capacity stays as it is") {
  // 10 h to go, 6 h of work, overhead of half an hour; no spell ever ends.
  const DeadlineCase run = quoted_case(60, hours(6), minutes(30));
  ExpectedCosts costs(run);
  costs.solve(SpellRates{}, 10);
  const auto cost = [&](double left, double work, Capacity running, bool up) {
    return costs.expected(left, left - work, running, {up, 4});
  };
  CHECK(cost(10, 6, Capacity::kSpot, true) == doctest::Approx(6 * 0.6));
  CHECK(cost(10, 6, Capacity::kNone, true) == doctest::Approx(6.5 * 0.6));
  CHECK(cost(10, 6, Capacity::kNone, false) == doctest::Approx(6.5 * 3));
  CHECK(cost(10, 6, Capacity::kOnDemand, false) == doctest::Approx(6 * 3));
  // It pays to change to the spot, for half an hour's 0.3, when more than that is saved of 2.4 an
  // hour: not for the last 6 minutes.
  CHECK(cost(5, 3.5, Capacity::kOnDemand, true) == doctest::Approx(4 * 0.6));
  CHECK(cost(1, 0.1, Capacity::kOnDemand, true) == doctest::Approx(0.1 * 3).epsilon(0.02));
  // No slack for another start of a spot.
  CHECK(cost(5, 4.9, Capacity::kSpot, false) == doctest::Approx(5.4 * 3));
  CHECK(cost(5, 0, Capacity::kNone, true) == 0.0);
}

/// The least cost to expect of all strategies that are never late, by trying every choice in every
/// future. Spells end in a tick with the probabilities `ends`, by capacity.
double least_expected(const DeadlineCase& run, DeadlineView view, const double (&ends)[2]) {
  if (view.work_left <= SimTime{}) return 0;
  if (view.tick == run.ticks()) return std::numeric_limits<double>::infinity();
  if (!view.spot && view.running == Capacity::kSpot) view.running = Capacity::kNone;
  double best = std::numeric_limits<double>::infinity();
  for (const Capacity kind : {Capacity::kNone, Capacity::kSpot, Capacity::kOnDemand}) {
    if (kind == Capacity::kSpot && !view.spot) continue;
    if (!leaves_time_for_on_demand(run, view, kind)) continue;
    DeadlineView next = view;
    ++next.tick;
    next.running = kind;
    double cost = 0;
    if (kind != Capacity::kNone) {
      const SimTime overhead = kind == view.running ? view.overhead_left : run.job.overhead;
      next.work_left -= std::max(SimTime{}, run.tick - overhead);
      next.overhead_left = std::max(SimTime{}, overhead - run.tick);
      cost = (kind == Capacity::kSpot ? run.job.spot_price : run.job.on_demand_price) / 6;
    }
    const double end = ends[view.spot ? kUp : kDown];
    DeadlineView other = next;
    other.spot = !next.spot;
    cost += (1 - end) * least_expected(run, next, ends) + end * least_expected(run, other, ends);
    best = std::min(best, cost);
  }
  return best;
}

/// What a strategy costs on the mean of all futures that begin with this capacity.
double mean_cost(DeadlineCase run, const char* name, const CapacityQuote& quote, bool up,
                 const double (&ends)[2]) {
  const DeadlineStrategyEntry& entry = find_deadline_strategy(name);
  const std::size_t count = run.spot.size();
  double mean = 0;
  for (std::size_t future = 0; future < std::size_t{1} << (count - 1); ++future) {
    double probability = 1;
    run.spot[0] = up;
    for (std::size_t i = 1; i < count; ++i) {
      const bool changes = (future >> (i - 1) & 1) != 0;
      const double end = ends[run.spot[i - 1] ? kUp : kDown];
      probability *= changes ? end : 1 - end;
      run.spot[i] = run.spot[i - 1] != changes;
    }
    const SpellHistory history(run.tick, quote);
    mean += probability * run_deadline(run, *entry.make(run, history), true).cost;
  }
  return mean;
}

TEST_CASE("quoted costs what the best of all strategies does, if the quote is right") {
  const CapacityQuote quote{.up_hours = 0.8, .down_hours = 0.4};
  const double ends[2] = {1 - std::exp(-1 / 6.0 / 0.4), 1 - std::exp(-1 / 6.0 / 0.8)};
  double best = 0, ours = 0, greedy = 0, uniform = 0;
  for (const int overhead : {0, 5}) {
    for (const int work : {20, 40}) {
      for (const bool up : {false, true}) {
        const DeadlineCase run = quoted_case(8, minutes(work), minutes(overhead));
        const double least = least_expected(run, {.work_left = run.job.duration, .spot = up}, ends);
        const double cost = mean_cost(run, "quoted", quote, up, ends);
        CAPTURE(overhead);
        CAPTURE(work);
        CAPTURE(up);
        CHECK(cost >= least - 1e-9);
        CHECK(cost <= 1.1 * least);
        best += least;
        ours += cost;
        greedy += mean_cost(run, "greedy", quote, up, ends);
        uniform += mean_cost(run, "uniform_progress", quote, up, ends);
      }
    }
  }
  CHECK(ours <= 1.005 * best);
  CHECK(ours < greedy);
  CHECK(ours < uniform);
}

TEST_CASE("quoted learns while the job runs: no use of spots that are too short") {
  // Capacity for ten minutes of every 50: with an overhead of 20 minutes no spot ever does any
  // work. Told that spells last for ten hours it takes each; as it sees what they are like, fewer;
  // and none if it saw that before.
  DeadlineCase run = quoted_case(144, hours(10), minutes(20));  // a day of ticks of 10 minutes
  for (std::size_t i = 0; i < run.spot.size(); ++i) run.spot[i] = i % 5 == 0;
  const DeadlineStrategyEntry& entry = find_deadline_strategy("quoted");
  const auto result = [&](const SpellHistory& history) {
    return run_deadline(run, *entry.make(run, history), entry.safety_net);
  };
  SpellHistory seen(run.tick);
  for (int i = 0; i < 5 * 200; ++i) seen.add(i % 5 == 0);
  const double told = result(SpellHistory(run.tick, {.up_hours = 10, .down_hours = 10})).spot_hours;
  const double learning = result(SpellHistory(run.tick)).spot_hours;
  CHECK(learning < told);
  CHECK(result(seen).spot_hours == 0.0);
}

}  // namespace
}  // namespace cospot
