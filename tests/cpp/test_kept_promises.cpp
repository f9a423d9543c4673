#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "guarantees/sla/kept_promises.hpp"

namespace cospot {
namespace {

TEST_CASE("eviction_interval: Clopper and Pearson's bounds") {
  // None of n: the upper bound p solves (1 - p)^n = 0.025.
  const ProbabilityInterval none = eviction_interval({.promised = 100, .broken = 0});
  CHECK(none.lower == doctest::Approx(0));
  CHECK(none.upper == doctest::Approx(1 - std::pow(0.025, 0.01)).epsilon(1e-9));
  // All of n: the lower bound solves p^n = 0.025.
  const ProbabilityInterval all = eviction_interval({.promised = 10, .broken = 10});
  CHECK(all.lower == doctest::Approx(std::pow(0.025, 0.1)).epsilon(1e-9));
  CHECK(all.upper == doctest::Approx(1));
  // 4 of 20: Clopper and Pearson's table has .0573 and .4366.
  const ProbabilityInterval some = eviction_interval({.promised = 20, .broken = 4});
  CHECK(some.lower == doctest::Approx(0.0573).epsilon(0.002));
  CHECK(some.upper == doctest::Approx(0.4366).epsilon(0.002));
  // One promise tells something, in blocks too: broken, p = 0.025 at the least.
  const PromiseCount one{.promised = 1, .broken = 1};
  CHECK(eviction_interval(one).lower == doctest::Approx(0.025));
  CHECK(eviction_interval(std::vector{one}).lower == doctest::Approx(0.025));
  // At the target, promises are kept.
  CHECK(verdict_of(ProbabilityInterval{.lower = 0, .upper = 0.25}, 0.25) == PromiseVerdict::kKept);
  CHECK(verdict_of(ProbabilityInterval{.lower = 0.25, .upper = 0.5}, 0.25) ==
        PromiseVerdict::kUnclear);
  CHECK(eviction_interval(PromiseCount{}).lower == 0);
  CHECK(eviction_interval(PromiseCount{}).upper == 1);
}

TEST_CASE("eviction_interval: bursts make promises tell less") {
  const auto interval = [](std::vector<PromiseCount> blocks) { return eviction_interval(blocks); };
  // 20 and 0 of 100 are 10 off 10 each. They vary by 4 / (4 - 1) * 4 * 100 = 533.3, and 400
  // independent ones by 400 * 0.1 * 0.9 = 36: 14.815 times as much. Four blocks are no sure sign of
  // that: t(3) is 3.18245, and would be 1.95996 of many, 2.6365 times as much squared. So they tell
  // as much as 1.0241 of 10.241, for which Clopper and Pearson's formula, as SciPy computes its
  // beta quantiles, gives 0.0027 to 0.4397. Without the second factor the upper end is 0.2773.
  const ProbabilityInterval bursts = interval({{.promised = 100, .broken = 20},
                                               {.promised = 100, .broken = 0},
                                               {.promised = 0, .broken = 0},
                                               {.promised = 100, .broken = 20},
                                               {.promised = 100, .broken = 0}});
  CHECK(bursts.lower == doctest::Approx(0.0027).epsilon(0.01));
  CHECK(bursts.upper == doctest::Approx(0.4397).epsilon(0.001));
  // Blocks that are alike, or a single one, tell nothing of bursts; nor does what never broke.
  const ProbabilityInterval alone = eviction_interval({.promised = 40, .broken = 20});
  for (const ProbabilityInterval& same :
       {interval({{.promised = 20, .broken = 10}, {.promised = 20, .broken = 10}}),
        interval({{.promised = 40, .broken = 20}})}) {
    CHECK(same.lower == alone.lower);
    CHECK(same.upper == alone.upper);
  }
  CHECK(interval({{.promised = 30, .broken = 0}, {.promised = 10, .broken = 0}}).upper ==
        eviction_interval({.promised = 40, .broken = 0}).upper);
  CHECK(interval({}).upper == 1);
  // 5 and 3 of 8, 1 off 4 each, vary by 2 / (2 - 1) * 2 = 4, as 16 * 0.5 * 0.5 independent ones do.
  CHECK(interval({{.promised = 8, .broken = 5}, {.promised = 8, .broken = 3}}).upper ==
        eviction_interval({.promised = 16, .broken = 8}).upper);
}

TEST_CASE("verdict_of: kept, broken, or too few to say") {
  CHECK(verdict_of({.promised = 1000, .broken = 0}, 0.01) == PromiseVerdict::kKept);
  CHECK(verdict_of({.promised = 100, .broken = 0}, 0.01) == PromiseVerdict::kUnclear);  // to .036
  CHECK(verdict_of({.promised = 1000, .broken = 30}, 0.01) == PromiseVerdict::kBroken);
  CHECK(verdict_of(PromiseCount{}, 0.01) == PromiseVerdict::kUnclear);
}

}  // namespace
}  // namespace cospot
