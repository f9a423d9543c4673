#include <doctest/doctest.h>

#include <cmath>

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
  CHECK(eviction_interval({}).lower == 0);
  CHECK(eviction_interval({}).upper == 1);
}

TEST_CASE("verdict_of: kept, broken, or too few to say") {
  CHECK(verdict_of({.promised = 1000, .broken = 0}, 0.01) == PromiseVerdict::kKept);
  CHECK(verdict_of({.promised = 100, .broken = 0}, 0.01) == PromiseVerdict::kUnclear);  // to .036
  CHECK(verdict_of({.promised = 1000, .broken = 30}, 0.01) == PromiseVerdict::kBroken);
  CHECK(verdict_of({}, 0.01) == PromiseVerdict::kUnclear);
}

}  // namespace
}  // namespace cospot
