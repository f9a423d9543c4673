#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "guarantees/sla/lifetime_estimate.hpp"
#include "guarantees/sla/lifetime_quantiles.hpp"
#include "tests/cpp/error_text.hpp"
#include "tests/cpp/reference_lifetimes_sla.hpp"

namespace cospot {
namespace {

using std::chrono::seconds;

using Observed = std::vector<std::pair<std::size_t, SimTime>>;

/// The promise at each number of slots from 0 on, with these quantiles of observed conditions.
std::vector<SimTime> promised(const Observed& known, std::int64_t most) {
  LifetimeQuantiles::Table table{.observed = {}, .quantiles = {{}}, .samples = {0}};
  for (const auto& [condition, quantile] : known) {
    table.observed.push_back(condition);
    table.quantiles[0].push_back(quantile);
  }
  LifetimeQuantiles quantiles({0.1}, SlotConditions(), seconds(0));
  quantiles.set({1, 0, 0}, table);
  std::vector<SimTime> values;
  for (std::int64_t slots = 0; slots <= most; ++slots) {
    values.push_back(quantiles.promised({1, 0, 0}, slots, 0.1));
  }
  std::vector<SimTime> all = quantiles.by_condition(table)[0];
  all.resize(values.size(), all.back());
  CHECK(all == values);
  return all;
}

TEST_CASE("LifetimeQuantiles: missing conditions lie on the line between their neighbours") {
  const auto values =
      promised({{1, seconds(50)}, {4, seconds(20)}, {8, seconds(100)}, {10, seconds(300)}}, 12);
  // 50 to 20 over three steps of -10, 20 to 100 over four of +20; one is the mean of 100 and 300.
  const std::array expected{50, 40, 30, 20, 40, 60, 80, 100, 200, 300, 300, 300};
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(values[i + 1] == seconds(expected[i]));
}

TEST_CASE("LifetimeQuantiles: no slot is no promise, below the first known the line starts there") {
  // Half way between -1 and 10,000,000 microseconds, down.
  CHECK(promised({{2, seconds(10)}}, 2) ==
        std::vector<SimTime>{kNoPromise, SimTime(4'999'999), seconds(10)});
  CHECK(promised({}, 1) == std::vector<SimTime>{kNoPromise, kNoPromise});
}

TEST_CASE("LifetimeQuantiles: beside a condition without an eviction the other end counts") {
  const auto values = promised({{1, seconds(10)}, {3, kNever}}, 3);
  CHECK(values[2] == seconds(10));
  CHECK(values[3] == kNever);
}

TEST_CASE("LifetimeQuantiles: promises by slots, and the last known value beyond") {
  LifetimeQuantiles quantiles({0.05, 0.01}, SlotConditions(), seconds(0));
  CHECK_FALSE(quantiles.is_known());
  quantiles.set({1, 0, 0}, {.observed = {1, 2},
                            .quantiles = {{seconds(5), seconds(9)}, {seconds(1), seconds(2)}},
                            .samples = {0, 10, 10}});
  CHECK(quantiles.is_known());
  CHECK(quantiles.promised({1, 0, 0}, 0, 0.05) == kNoPromise);
  CHECK(quantiles.promised({1, 0, 0}, 1, 0.05) == seconds(5));
  CHECK(quantiles.promised({1, 0, 0}, 2, 0.01) == seconds(2));
  CHECK(quantiles.promised({1, 0, 0}, 1000, 0.01) == seconds(2));
  CHECK(quantiles.promised({2, 0, 0}, 5, 0.01) == kNoPromise);  // a size nobody estimated
  CHECK_THROWS_AS((void)quantiles.promised({1, 0, 0}, 1, 0.5), ConfigError);
}

TEST_CASE("quantile: type 7 as NumPy has it, and the lower order statistic") {
  const std::array<SimTime, 5> sorted{seconds(1), seconds(2), seconds(4), seconds(8), seconds(16)};
  // numpy.quantile([1, 2, 4, 8, 16], [0, .1, .25, .6, 1]) = [1, 1.4, 2, 5.6, 16]
  CHECK(quantile(sorted, 0, QuantileKind::kLinear) == seconds(1));
  CHECK(std::abs((quantile(sorted, 0.1, QuantileKind::kLinear) - SimTime(1'400'000)).count()) <= 1);
  CHECK(quantile(sorted, 0.25, QuantileKind::kLinear) == seconds(2));
  CHECK(std::abs((quantile(sorted, 0.6, QuantileKind::kLinear) - SimTime(5'600'000)).count()) <= 1);
  CHECK(quantile(sorted, 1, QuantileKind::kLinear) == seconds(16));
  CHECK(quantile(sorted, 0.6, QuantileKind::kLower) == seconds(4));
  const std::array<SimTime, 2> censored{seconds(3), kNever};
  CHECK(quantile(censored, 0.5, QuantileKind::kLinear) == seconds(3));
  CHECK(quantile(censored, 1, QuantileKind::kLinear) == kNever);
}

TEST_CASE("survival_quantile: Kaplan and Meier's curve, worked out by hand") {
  // Of 6 one is evicted at 1 s (5/6 left), one was last seen at 2 s, of 4 one is evicted at 3 s
  // (5/6 x 3/4 = 0.625), one was last seen at 3 s, of 2 one is evicted at 5 s (0.3125).
  const std::array<SeenLifetime, 6> seen{{{seconds(1), false},
                                          {seconds(2), true},
                                          {seconds(3), false},
                                          {seconds(3), true},
                                          {seconds(5), false},
                                          {seconds(9), true}}};
  CHECK(survival_quantile(seen, 0.1) == seconds(1));
  CHECK(survival_quantile(seen, 0.2) == seconds(3));
  CHECK(survival_quantile(seen, 0.375) == seconds(3));
  CHECK(survival_quantile(seen, 0.4) == seconds(5));
  CHECK(survival_quantile(seen, 0.7) == seconds(9));  // the curve ends at 0.3125
  // Of an age those are known that were evicted before it or seen at it.
  const auto check_at = [&](int age, double share, std::size_t known) {
    CHECK(survival_at(seen, seconds(age)).share == doctest::Approx(share));
    CHECK(survival_at(seen, seconds(age)).known == known);
  };
  check_at(1, 1, 6);
  check_at(2, 5.0 / 6, 6);
  check_at(3, 5.0 / 6, 5);
  check_at(4, 0.625, 4);
  check_at(10, 0.3125, 3);
  CHECK(survival_at(std::span(seen).first(4), seconds(10)).share == 0.375);  // 3/4 x 1/2
}

TEST_CASE("LifetimeQuantiles: the share that lives so long, by slots") {
  // 0.5 of condition 2, 0.9 of 4, half way between them in 3; from 0 on before the first known.
  LifetimeQuantiles quantiles({0.1}, SlotConditions(), seconds(0));
  quantiles.set({1, 0, 0},
                {.observed = {2, 4}, .quantiles = {}, .samples = {}, .survival = {{0.5, 0.9}}});
  quantiles.set({3, 0, 0}, {.observed = {}, .quantiles = {}, .samples = {}, .survival = {{}}});
  CHECK(quantiles.survival({1, 0, 0}, 1, 0) == 0.25);
  CHECK(quantiles.survival({1, 0, 0}, 2, 0) == 0.5);
  CHECK(quantiles.survival({1, 0, 0}, 3, 0) == 0.5 + 0.5 * (0.9 - 0.5));
  CHECK(quantiles.survival({1, 0, 0}, 9, 0) == 0.9);
  CHECK_FALSE(quantiles.survival({1, 0, 0}, 0, 0).has_value());
  CHECK_FALSE(quantiles.survival({3, 0, 0}, 1, 0).has_value());  // no condition was seen
  CHECK_FALSE(quantiles.survival({2, 0, 0}, 1, 0).has_value());
}

TEST_CASE("SlotConditions: exact, or as wide as they are said to be") {
  const SlotConditions exact;
  CHECK(exact.of(0) == 0);
  CHECK(exact.of(992) == 992);
  const SlotConditions wide(0.1);  // exact up to 10 slots, then every 10 %
  CHECK(wide.of(10) == 10);
  CHECK(wide.of(11) == 11);  // 10 x 1.1
  CHECK(wide.of(13) == 12);  // 12.1 to 13.31
  CHECK(wide.first_slots(12) == doctest::Approx(12.1));
  for (std::int64_t slots = 1; slots < 5000; ++slots) {
    CHECK(wide.of(slots) <= wide.of(slots + 1));
    CHECK(wide.first_slots(wide.of(slots)) <= static_cast<double>(slots) * (1 + 1e-9));
    const std::int64_t next = wide.next_after(slots);
    CHECK((wide.of(next) > wide.of(slots) && wide.of(next - 1) == wide.of(slots)));
  }
}

TEST_CASE("slots_of: as many as the scarcest resource allows") {
  CHECK(slots_of({2, 3, 0}, {8, 10, 0}) == 3);  // 8/2 = 4, 10/3 = 3
  CHECK(slots_of({2, 0, 0}, {7, 0, 0}) == 3);
  CHECK(slots_of({2, 1, 0}, {-1, 10, 0}) == 0);
  CHECK(slots_of({0, 0, 0}, {8, 8, 8}) == 0);
}

LifetimeEstimateSettings settings_for(std::vector<double> probabilities) {
  return {
      .sizes = {{1, 0, 0}, {2, 0, 0}}, .probabilities = std::move(probabilities), .samples = 4000};
}

TEST_CASE("LifetimeEstimate: a smaller probability of eviction never promises more") {
  const History history = reference::random_history(
      {.hosts = 4, .host_vcpus = 8, .largest = 2, .requests = 2000, .mean_minutes = 14}, 1);
  const SimTime now = history.events().back().time;
  const LifetimeQuantiles quantiles =
      estimate_lifetimes(history, settings_for({0.25, 0.1, 0.05, 0.01}), SimTime{0}, now);
  for (const ResourceVector& size : {ResourceVector{1, 0, 0}, ResourceVector{2, 0, 0}}) {
    const auto& by_probability = quantiles.table(size)->quantiles;
    for (std::size_t p = 1; p < by_probability.size(); ++p) {
      REQUIRE(by_probability[p].size() == by_probability[0].size());
      for (std::size_t i = 0; i < by_probability[p].size(); ++i) {
        CHECK(by_probability[p][i] <= by_probability[p - 1][i]);
      }
    }
    // Broadly increasing in the free slots: many free against one free.
    CHECK(quantiles.promised(size, 8, 0.25) > quantiles.promised(size, 1, 0.25));
  }
}

TEST_CASE("LifetimeEstimate: is the quantile of fates drawn one by one") {
  const History history = reference::random_history({.hosts = 2, .requests = 300}, 7);
  const SimTime now = history.events().back().time;
  LifetimeEstimateSettings settings = settings_for({0.1});
  settings.sizes = {{1, 0, 0}};
  const LifetimeQuantiles quantiles = estimate_lifetimes(history, settings, SimTime{0}, now);
  // The same quantity from 4000 points on a regular grid, one replay each.
  std::vector<SimTime> with_two;
  for (std::int64_t i = 0; i < 4000; ++i) {
    const FictitiousSpot fate = reference::shortcut(history, {1, 0, 0}, now * i / 4000);
    if (fate.slots == 2) with_two.push_back(fate.lifetime);
  }
  std::sort(with_two.begin(), with_two.end());
  const double expected =
      static_cast<double>(quantile(with_two, 0.1, QuantileKind::kLinear).count());
  const double found = static_cast<double>(quantiles.promised({1, 0, 0}, 2, 0.1).count());
  CHECK(found == doctest::Approx(expected).epsilon(0.15));  // some 800 samples each
}

TEST_CASE("LifetimeEstimate: pieces in any order, the same draw, another refresh another one") {
  const History history = reference::random_history({.hosts = 3, .requests = 400}, 3);
  const SimTime now = history.events().back().time;
  const LifetimeEstimateSettings settings = settings_for({0.1});
  LifetimeEstimate backwards(history, settings, SimTime{0}, now, 0);
  backwards.run_piece(1);
  backwards.run_piece(0);
  const LifetimeQuantiles first = estimate_lifetimes(history, settings, SimTime{0}, now, 0);
  const LifetimeQuantiles second = estimate_lifetimes(history, settings, SimTime{0}, now, 1);
  const ResourceVector size{1, 0, 0};
  CHECK(backwards.result().table(size)->quantiles == first.table(size)->quantiles);
  CHECK(backwards.result().table(size)->samples == first.table(size)->samples);
  CHECK(second.table(size)->samples != first.table(size)->samples);
}

TEST_CASE("LifetimeEstimate: samples that accumulate are those of all refreshes so far") {
  const History history = reference::random_history({.hosts = 3, .requests = 400}, 3);
  const SimTime now = history.events().back().time;
  const ResourceVector size{1, 0, 0};
  const std::array<SimTime, 2> earlier{now / 3, 2 * now / 3};
  LifetimeEstimateSettings settings = settings_for({0.1});
  const auto samples = [&](SimTime until, std::uint64_t refresh, std::span<const SimTime> before) {
    LifetimeEstimate estimate(history, settings, SimTime{0}, until, refresh, before);
    estimate.run_piece(0);
    estimate.run_piece(1);
    std::vector<std::uint32_t> counts = estimate.result().table(size)->samples;
    counts.resize(13);  // 3 hosts of 4
    return counts;
  };
  const std::array alone{samples(earlier[0], 0, {}), samples(earlier[1], 1, {}),
                         samples(now, 2, earlier)};
  settings.samples_accumulate = true;
  const std::vector<std::uint32_t> all = samples(now, 2, earlier);
  // The condition of a point is what was free then, whenever it is looked at.
  for (std::size_t slots = 0; slots < all.size(); ++slots) {
    CHECK(all[slots] == alone[0][slots] + alone[1][slots] + alone[2][slots]);
  }
}

TEST_CASE("LifetimeEstimate: what lives at the end of the history") {
  History history({{4, 0, 0}});
  history.place({.vcpus = 1, .instance = 1, .time = seconds(10)}, 0);
  LifetimeEstimateSettings settings = settings_for({0.5});
  settings.sizes = {{1, 0, 0}};
  const auto promised = [&](CensoredLifetime censored) {
    settings.censored = censored;
    return estimate_lifetimes(history, settings, SimTime{0}, seconds(1000))
        .promised({1, 0, 0}, 3, 0.5);
  };
  CHECK(promised(CensoredLifetime::kForever) == kNever);
  CHECK(promised(CensoredLifetime::kDropped) == kNoPromise);
  // The curve never falls: what was seen the longest, from about 10 s on to 1000 s.
  CHECK(promised(CensoredLifetime::kSurvival) > seconds(985));
  // Starts are uniform in [10, 1000) s, so the median of what they saw is about half of it.
  const SimTime so_far = promised(CensoredLifetime::kSoFar);
  CHECK(so_far > seconds(450));
  CHECK(so_far < seconds(540));
}

TEST_CASE("LifetimeEstimate: spells are of one condition, and what is dropped ends them") {
  // Two of four slots are free up to 10 s, when a VM evicts who is there; four from then to 20 s,
  // which nobody sees the end of; and two again, up to a VM at 30 s.
  History history({{4, 0, 0}});
  const auto place = [&](InstanceIndex id, std::int64_t at, InstanceClass kind) {
    history.place({.vcpus = 2, .instance_class = kind, .instance = id, .time = seconds(at)}, 0);
  };
  for (const InstanceIndex turn : {0U, 1U}) {
    const std::int64_t begin = std::int64_t{20} * turn;
    place(2 * turn, begin, InstanceClass::kSpot);
    place(2 * turn + 1, begin + 10, InstanceClass::kVm);
    history.end(2 * turn, seconds(begin + 10));
    history.end(2 * turn + 1, seconds(begin + 10));
  }
  LifetimeEstimateSettings settings = settings_for({0.1});
  settings.sizes = {{1, 0, 0}};
  settings.keeps_spells = true;
  const auto table = [&] {
    return *estimate_lifetimes(history, settings, SimTime{0}, seconds(30)).table({1, 0, 0});
  };
  settings.censored = CensoredLifetime::kDropped;
  REQUIRE(table().observed == std::vector<std::size_t>{2});
  REQUIRE(table().spells[0].size() == 2);
  CHECK(table().spells[0][0].last < seconds(10));
  CHECK(table().spells[0][1].first >= seconds(20));
  // Lifetimes are uniform up to 10 s: half of them reach 5.
  settings.censored = CensoredLifetime::kSurvival;
  settings.ages = {seconds(5)};
  CHECK(table().survival[0][0] == doctest::Approx(0.5).epsilon(0.1));
}

TEST_CASE("LifetimeEstimate: so many samples as are asked for, of one size or of all") {
  const History idle({{4, 0, 0}});
  LifetimeEstimateSettings settings = settings_for({0.1});
  const auto estimate = [&] {
    return estimate_lifetimes(idle, settings, SimTime{0}, seconds(100));
  };
  CHECK(estimate().table({1, 0, 0})->samples[4] == 4000);
  settings.samples_are_total = true;
  CHECK(estimate().table({1, 0, 0})->samples[4] == 2000);
  CHECK(estimate().table({2, 0, 0})->samples[2] == 2000);
  // A condition with too few counts as not observed.
  settings.least_samples = 2000;
  CHECK(estimate().promised({1, 0, 0}, 4, 0.1) == kNever);
  settings.least_samples = 2001;
  CHECK(estimate().promised({1, 0, 0}, 4, 0.1) == kNoPromise);
  settings = settings_for({0.1});
  settings.samples = 1;
  CHECK(estimate().table({1, 0, 0})->spells.empty());
  settings.keeps_spells = true;
  CHECK(estimate().table({1, 0, 0})->spells[0].size() == 1);
}

TEST_CASE("LifetimeEstimate: a quantile is the same whichever others are asked for") {
  // All but all of a sample is sorted for the last one.
  const History history = reference::random_history({.hosts = 3, .requests = 400}, 3);
  const SimTime now = history.events().back().time;
  const auto first = [&](std::vector<double> probabilities) {
    const auto quantiles =
        estimate_lifetimes(history, settings_for(std::move(probabilities)), SimTime{0}, now);
    return quantiles.table({1, 0, 0})->quantiles[0];
  };
  for (int percent = 1; percent < 100; percent += 4) {
    CHECK(first({percent / 100.0}) == first({percent / 100.0, 0.9999}));
  }
}

TEST_CASE("LifetimeEstimate: bad input is refused") {
  const History history({{4, 0, 0}});
  const auto estimate = [&](const LifetimeEstimateSettings& settings, std::int64_t now) {
    (void)estimate_lifetimes(history, settings, SimTime{0}, seconds(now));
  };
  CHECK_THROWS_AS(estimate(settings_for({0.1}), 0), InputError);  // no time has passed
  CHECK(contains(error_text<InputError>([&] { estimate(settings_for({0.1}), -3); }),
                 "it ends -3 s after it starts"));
  CHECK_THROWS_AS(estimate(settings_for({}), 10), ConfigError);
  CHECK_THROWS_AS(estimate(settings_for({0}), 10), ConfigError);
  CHECK_THROWS_AS(estimate(settings_for({1}), 10), ConfigError);
  LifetimeEstimateSettings none = settings_for({0.1});
  none.sizes.clear();
  CHECK_THROWS_AS(estimate(none, 10), ConfigError);
  none = settings_for({0.1});
  none.samples = 0;
  CHECK_THROWS_AS(estimate(none, 10), ConfigError);
  for (const double width : {-0.1, 1.1}) {
    none = settings_for({0.1});
    none.condition_width = width;
    CHECK_THROWS_AS(estimate(none, 10), ConfigError);
  }
}

TEST_CASE("LifetimeEstimate: an idle history promises for ever, one without room nothing") {
  const History idle({{4, 0, 0}});
  const LifetimeQuantiles quantiles =
      estimate_lifetimes(idle, settings_for({0.1}), SimTime{0}, seconds(100));
  CHECK(quantiles.promised({1, 0, 0}, 4, 0.1) == kNever);
  History full({{1, 0, 0}});
  full.place({.vcpus = 1, .instance = 1, .time = seconds(0)}, 0);
  const LifetimeQuantiles nothing =
      estimate_lifetimes(full, settings_for({0.1}), SimTime{0}, seconds(100));
  CHECK(nothing.promised({1, 0, 0}, 1, 0.1) == kNoPromise);  // no condition was ever observed
}

}  // namespace
}  // namespace cospot
