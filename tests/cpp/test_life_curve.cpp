#include <doctest/doctest.h>

#include <array>
#include <vector>

#include "core/random.hpp"
#include "guarantees/life_curve.hpp"

namespace cospot {
namespace {

/// Intervals to 10, 20 and 40 us, in which 0.5, 0.2 and 0.25 of those that come so far end:
///   survival 1, 0.5, 0.4, 0.3
///   rest after 20 us: 20 (1 + 0.75) / 2 = 17.5; after 10: 10 (1 + 0.8) / 2 + 0.8 * 17.5 = 23;
///   after 0: 10 (1 + 0.5) / 2 + 0.5 * 23 = 19
struct HandCurve {
  AgeGrid grid{std::array{SimTime(10), SimTime(20), SimTime(40)}};
  std::array<LifePoint, 4> points{};

  HandCurve() { fill_life_curve(grid, std::array{0.5, 0.2, 0.25}, points); }

  [[nodiscard]] double rest(double age, double limit) const {
    return expected_rest(grid, points, age, limit);
  }
};

TEST_CASE("life curve: survival and rest at the edges, worked by hand") {
  const HandCurve curve;
  const std::array<double, 4> survival{1, 0.5, 0.4, 0.3};
  const std::array<double, 4> rest{19, 23, 17.5, 0};
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(curve.points[i].survival == doctest::Approx(survival[i]).epsilon(1e-14));
    CHECK(curve.points[i].rest == doctest::Approx(rest[i]).epsilon(1e-14));
  }
  CHECK(survival_at(curve.grid, curve.points, 5) == doctest::Approx(0.75));
  CHECK(survival_at(curve.grid, curve.points, 30) == doctest::Approx(0.35));
  CHECK(survival_at(curve.grid, curve.points, 1000) == doctest::Approx(0.3));
}

TEST_CASE("life curve: expected rest, worked by hand") {
  const HandCurve curve;
  CHECK(curve.rest(0, 40) == doctest::Approx(19).epsilon(1e-14));
  // At 5 us 0.75 are left: (5 (0.75 + 0.5) / 2 + 0.5 * 23) / 0.75 = 14.625 / 0.75.
  CHECK(curve.rest(5, 40) == doctest::Approx(19.5).epsilon(1e-14));
  // To 20 us: (3.125 + 10 (0.5 + 0.4) / 2) / 0.75.
  CHECK(curve.rest(5, 20) == doctest::Approx(7.625 / 0.75).epsilon(1e-14));
  // To 8 us, where 0.6 are left: 3 (0.75 + 0.6) / 2 / 0.75.
  CHECK(curve.rest(5, 8) == doctest::Approx(2.7).epsilon(1e-14));
  // After 40 us the 0.3 stay: 19 + 60 * 0.3.
  CHECK(curve.rest(0, 100) == doctest::Approx(37).epsilon(1e-14));
  CHECK(curve.rest(50, 100) == 50);
  CHECK(curve.rest(40, 100) == 60);
}

TEST_CASE("life curve: nothing is left at the limit, and an age before the start is 0") {
  const HandCurve curve;
  CHECK(curve.rest(20, 20) == 0);
  CHECK(curve.rest(20, 5) == 0);
  CHECK(curve.rest(0, -5) == 0);
  CHECK(curve.rest(-7, 40) == curve.rest(0, 40));
}

TEST_CASE("life curve: certain ends and very unlikely survivors stay finite") {
  std::vector<SimTime> ends;
  for (int i = 1; i <= 200; ++i) ends.push_back(i * kDay);
  const AgeGrid grid(ends);
  std::vector<LifePoint> points(ends.size() + 1);
  for (const double hazard : {0.0, 1e-12, 0.999999, 1.0}) {
    fill_life_curve(grid, std::vector<double>(ends.size(), hazard), points);
    Random random(3);
    for (int round = 0; round < 2000; ++round) {
      const auto age = static_cast<double>(random.below(300'000'000) * 60'000);
      const double limit = age + static_cast<double>(random.below(100) * 1'000'000'000);
      const double rest = expected_rest(grid, points, age, limit);
      CAPTURE(hazard);
      CAPTURE(age);
      REQUIRE(rest >= 0);
      REQUIRE(rest <= limit - age);
    }
  }
}

TEST_CASE("life curve: the rest equals the survival added up in small steps") {
  const HandCurve curve;
  Random random(8);
  for (int round = 0; round < 50; ++round) {
    const auto age = static_cast<double>(random.below(600)) / 10;
    const double limit = age + static_cast<double>(random.below(600)) / 10;
    constexpr int kSteps = 20'000;
    double area = 0;
    for (int i = 0; i < kSteps; ++i) {
      area += survival_at(curve.grid, curve.points, age + (limit - age) * (i + 0.5) / kSteps);
    }
    area *= (limit - age) / kSteps / survival_at(curve.grid, curve.points, age);
    CHECK(curve.rest(age, limit) == doctest::Approx(area).epsilon(1e-6));
  }
}

}  // namespace
}  // namespace cospot
