// What a history supports of a promised lifetime.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "guarantees/sla/evidence.hpp"
#include "guarantees/sla/kept_promises.hpp"

namespace cospot {
namespace {

using std::chrono::hours;

constexpr ResourceVector kSize{.vcpus = 1, .memory_mb = 1024};

TEST_CASE("observations_needed: the rule of no eviction, and more where some were evicted") {
  // None of n: the interval's upper end is 1 - 0.025^(1/n), at most t from n = ln 0.025 / ln(1 -
  // t): 35.01 for 0.1, 71.9 for 0.05, 367.04 for 0.01.
  CHECK(observations_needed(0.1) == 36);
  CHECK(observations_needed(0.05) == 72);
  CHECK(observations_needed(0.01) == 368);
  CHECK(observations_needed(0.99) == 1);  // 1 - 0.025
  for (const double share : {0.01, 0.05, 0.095}) {
    const std::uint64_t needed = observations_needed(0.1, share).value();
    const auto upper = [&](std::uint64_t spots) {
      const auto evicted =
          static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(spots)));
      return eviction_interval({.promised = spots, .broken = evicted}).upper;
    };
    CHECK(upper(needed) <= 0.1);
    CHECK(upper(needed - 1) > 0.1);
  }
  CHECK_FALSE(observations_needed(0.1, 0.1).has_value());
  // Of the shares below a target of 0.0001 some need more than is looked for: they are left out.
  constexpr std::array<double, 2> kTargets{0.01, 0.0001};
  std::size_t steps = 0;
  for (int part = 0; part < 20; ++part) {
    for (const double target : kTargets) {
      steps += observations_needed(target, target * part / 20).has_value() ? 1 : 0;
    }
  }
  CHECK(steps < 40);
  const Evidence evidence(UINT64_MAX, kTargets);
  CHECK(evidence.probabilities().size() == steps - 1);  // the least one of each is the same
  CHECK(std::ranges::is_sorted(evidence.probabilities()));
}

/// Quantiles of one slot (condition 1; condition 0 is "no slot"), at which nobody is evicted before
/// `lifetime`, from a history of 720 h.
LifetimeQuantiles all_live(const Evidence& evidence, SimTime lifetime,
                           const std::vector<ConditionSpell>& spells,
                           std::uint32_t samples = 2000) {
  LifetimeQuantiles made(evidence.probabilities(), SlotConditions(), SimTime(hours(720)));
  made.set(kSize, {.observed = {1},
                   .quantiles = std::vector<std::vector<SimTime>>(evidence.probabilities().size(),
                                                                  {lifetime}),
                   .samples = {0, samples},
                   .spells = std::vector(spells.empty() ? 0U : 1U, spells)});
  return made;
}

TEST_CASE("Evidence: a lifetime counts once for each that fits into the observed time") {
  constexpr std::array<double, 2> kTargets{0.1, 0.01};
  const Evidence evidence(1000, kTargets);
  const std::vector<ConditionSpell> always{{.first = SimTime{0}, .last = hours(720)}};
  const LifetimeQuantiles forever = all_live(evidence, kNever, always);
  // Nobody was ever evicted: 720 h / 36 = 20 h with 90 %, 720 / 368 h with 99 %.
  CHECK(evidence.supported(forever, kSize, 1, 0.1) == hours(20));
  CHECK(evidence.supported(forever, kSize, 1, 0.01) == SimTime(hours(720)) / 368);
  // More slots are one condition with one slot here; 720 h / 368 = 7043.5 s are promised as 7043.
  const std::vector<LifetimeStep> steps = evidence.steps(forever, kSize, 9, 0.01);
  REQUIRE(steps.size() == 2);
  CHECK((steps[0].slots == 0 && steps[0].lifetime == kNoPromise));
  CHECK((steps[1].slots == 1 && steps[1].lifetime == std::chrono::seconds(7043)));
  // The estimate itself is the limit where it is shorter.
  CHECK(evidence.supported(all_live(evidence, hours(3), always), kSize, 1, 0.1) == hours(3));
  CHECK(evidence.supported(forever, kSize, 0, 0.1) == kNoPromise);
  // 35 fictitious spots are too few for 90 %, whatever they did.
  CHECK(evidence.supported(all_live(evidence, kNever, always, 35), kSize, 1, 0.1) == kNoPromise);
  // So are 35 spots that ran.
  CHECK(Evidence(35, kTargets).supported(forever, kSize, 1, 0.1) == kNoPromise);
}

TEST_CASE("Evidence: only the time with as many free slots as now counts") {
  constexpr std::array<double, 1> kTargets{0.1};
  const Evidence evidence(1000, kTargets);
  // One slot was free for an hour on each of 30 days. 36 starts take two on some day: an hour
  // apart, one at each end of its hour. A lifetime beyond that has one start a day: 30 are too few.
  std::vector<ConditionSpell> hour_a_day;
  for (int day = 0; day < 30; ++day) {
    hour_a_day.push_back({.first = hours(24 * day), .last = hours(24 * day + 1)});
  }
  CHECK(separate_starts(hour_a_day, hours(1), hours(720)) == 60);
  CHECK(separate_starts(hour_a_day, hours(2), hours(720)) == 30);
  CHECK(separate_starts(hour_a_day, hours(24), hours(720)) == 30);
  // 26 h after a start at 0 h the hour of day 1 is over, so that every other day has one.
  CHECK(separate_starts(hour_a_day, hours(26), hours(720)) == 15);
  // Of the last day's spots it was not seen that they live 25 h.
  CHECK(separate_starts({&hour_a_day.back(), 1}, hours(25), hours(720)) == 0);
  const LifetimeQuantiles daily = all_live(evidence, kNever, hour_a_day);
  CHECK(evidence.supported(daily, kSize, 1, 0.1) == hours(1));
  // More slots than were ever free are told what the most are; without any, nothing.
  CHECK(evidence.supported(daily, kSize, 5, 0.1) == hours(1));
  CHECK(evidence.supported(all_live(evidence, kNever, {}), kSize, 1, 0.1) == kNoPromise);
}

TEST_CASE("LifetimeQuantiles: an unobserved number of slots has seen what both neighbours have") {
  // From when each number of slots was seen, up to 100 h, and where not, -1. `times` lifetimes one
  // after the other are as long as that time divided by them.
  const auto observed = [](const std::vector<int>& from, std::int64_t slots, std::uint64_t times) {
    LifetimeQuantiles::Table table{.observed = {}, .quantiles = {}, .samples = {0}};
    for (const int first : from) {
      table.samples.push_back(50);
      if (first < 0) continue;
      table.observed.push_back(table.samples.size() - 1);
      table.spells.push_back({{.first = hours(first), .last = hours(100)}});
    }
    LifetimeQuantiles made({0.1}, SlotConditions(), hours(100));
    made.set(kSize, table);
    return made.observed(kSize, slots, times);
  };
  CHECK(observed({0, -1, 60}, 1, 10) == hours(10));
  CHECK(observed({0, -1, 60}, 2, 10) == hours(4));
  CHECK(observed({60, -1, 0}, 2, 10) == hours(4));
  CHECK(observed({0, -1, 60}, 3, 10) == hours(4));
  CHECK(observed({-1, -1, 60}, 1, 10) == hours(4));
  CHECK(observed({0, -1}, 2, 10) == hours(10));
  CHECK(observed({0}, 0, 10) == SimTime{0});
  CHECK(observed({0}, 1, 50) == hours(2));
  CHECK(observed({0}, 1, 51) == SimTime{0});  // 50 samples
  CHECK(LifetimeQuantiles().observed(kSize, 1, 10) == SimTime{0});
}

}  // namespace
}  // namespace cospot
