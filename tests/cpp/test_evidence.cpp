// What a history supports of a promised lifetime.
#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <cmath>

#include "guarantees/sla/evidence.hpp"

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
  CHECK(observations_needed(0.1, 0.05).value() > 36);
  CHECK_FALSE(observations_needed(0.1, 0.1).has_value());
}

TEST_CASE("Evidence: a lifetime counts once for each that fits into the observed time") {
  constexpr std::array<double, 2> kTargets{0.1, 0.01};
  const Evidence evidence(hours(720), 1000, kTargets);
  LifetimeQuantiles quantiles(evidence.probabilities(), SlotConditions(), SimTime{0});
  const auto all_live = [&](SimTime lifetime) {
    LifetimeQuantiles made = quantiles;
    // Condition 0 is "no slot"; condition 1, one slot.
    made.set(kSize, {.quantiles = std::vector<std::vector<SimTime>>(evidence.probabilities().size(),
                                                                    {kNoPromise, lifetime}),
                     .samples = {0, 2000}});
    return made;
  };
  // Nobody was ever evicted: 720 h / 36 = 20 h with 90 %, 720 / 368 h with 99 %.
  CHECK(evidence.supported(all_live(kNever), kSize, 1, 0.1, 2000) == hours(20));
  CHECK(evidence.supported(all_live(kNever), kSize, 1, 0.01, 2000) == SimTime(hours(720)) / 368);
  // The estimate itself is the limit where it is shorter.
  CHECK(evidence.supported(all_live(hours(3)), kSize, 1, 0.1, 2000) == hours(3));
  CHECK(evidence.supported(all_live(kNever), kSize, 0, 0.1, 2000) == kNoPromise);
  // 35 fictitious spots are too few for 90 %, whatever they did.
  CHECK(evidence.supported(all_live(kNever), kSize, 1, 0.1, 35) == kNoPromise);
  // So are 35 spots that ran.
  const Evidence few(hours(720), 35, kTargets);
  CHECK(few.supported(all_live(kNever), kSize, 1, 0.1, 2000) == kNoPromise);
}

}  // namespace
}  // namespace cospot
