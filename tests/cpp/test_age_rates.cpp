// Rates of ends by age, worked out by hand.
#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "sim_harness/data/markets/age_rates.hpp"
#include "sim_harness/provider/signals/recent_evictions.hpp"

namespace cospot {
namespace {

using doctest::Approx;

TEST_CASE("age tally: hours and ends by the class of age") {
  AgeTally tally;
  tally.add(5, true);     // 0.25, 0.75, 3 and 1 h
  tally.add(4, true);     // ends in the class up to 4 h
  tally.add(0.5, false);  // 0.25 and 0.25 h, seen no longer
  tally.add(20, false);   // 0.25, 0.75, 3, 12 and 4 h
  CHECK(tally.hours[0] == Approx(1));
  CHECK(tally.hours[1] == Approx(2.5));
  CHECK(tally.hours[2] == Approx(9));
  CHECK(tally.hours[3] == Approx(13));
  CHECK(tally.hours[4] == Approx(4));
  CHECK(tally.ends == std::array<double, kAgeClasses>{0, 0, 1, 1, 0});
}

TEST_CASE("age tally: what is seen from some age on, and what fades") {
  AgeTally tally;
  tally.add(0.5, 2, true);  // 0.5 h of the class up to 1 h, 1 h of that up to 4 h, where it ends
  CHECK(tally.hours == std::array<double, kAgeClasses>{0, 0.5, 1, 0, 0});
  CHECK(tally.ends == std::array<double, kAgeClasses>{0, 0, 1, 0, 0});
  tally.add(20, 30, false);
  CHECK(tally.hours[4] == Approx(10));
  tally.fade(0.25);
  CHECK(tally.hours == std::array<double, kAgeClasses>{0, 0.125, 0.25, 0, 2.5});
  CHECK(tally.ends == std::array<double, kAgeClasses>{0, 0, 0.25, 0, 0});
}

TEST_CASE("recent evictions: what was evicted lately counts, and fades by half in a half-life") {
  SpotLives lives;
  const SimTime hour = std::chrono::hours(1);
  lives.placed(0, 0, SimTime{-1});  // filled an empty datacenter
  lives.ended(0, hour, true);
  for (InstanceIndex spot = 1; spot <= 40; ++spot) lives.placed(spot, 0, SimTime{0});
  for (InstanceIndex spot = 1; spot <= 20; ++spot) lives.ended(spot, hour, true);
  RecentEvictions recent;
  recent.see(lives, 2 * hour);
  // By hand: 40 h at most in the classes up to 0.25 h and 1 h, in which 20 ended; 20 h in that up
  // to 4 h, in which none did.
  AgeTally tally{.hours = {10, 30, 20, 0, 0}, .ends = {0, 20, 0, 0, 0}};
  const auto expected = [](const AgeTally& of, double hours) {
    return survival(rates_of(of, rates_of(of)), hours);
  };
  CHECK(recent.survives(0, hour) == Approx(expected(tally, 1)));
  CHECK(recent.survives(0, 4 * hour) == Approx(expected(tally, 4)));
  // A flavor that was never seen is as all are.
  AgeTally nothing;
  CHECK(recent.survives(7, hour) == Approx(survival(rates_of(nothing, rates_of(tally)), 1)));
  // A half-life on, 20 spots have run 2 + 36 h, and the evictions count half.
  recent.see(lives, 2 * hour + RecentEvictions::kHalfLife);
  tally.fade(0.5);
  for (int spot = 0; spot < 20; ++spot) tally.add(2, 38, false);
  CHECK(recent.survives(0, hour) == Approx(expected(tally, 1)));
}

TEST_CASE("rates by age: drawn towards those around, and to what all ages say") {
  AgeTally tally;
  tally.hours = {10, 0, 0, 0, 0};
  tally.ends = {2, 0, 0, 0, 0};
  AgeRates around{};
  around.fill(0.1);
  CHECK(rates_of(tally, around)[0] == Approx((2.0 + 5) / (10 + 50)));
  CHECK(rates_of(tally, around)[4] == Approx(0.1));
  const double overall = 2.5 / 11;
  CHECK(rates_of(tally)[0] == Approx((2.0 + 5) / (10 + 5 / overall)));
  CHECK(rates_of(tally)[1] == Approx(overall));
  // Nothing ever ended: rare, and not impossible.
  CHECK(rates_of(AgeTally{.hours = {99, 0, 0, 0, 0}})[4] == Approx(0.5 / 100));
}

TEST_CASE("rates by age: survival") {
  const AgeRates rates{4, 2, 1, 1, 1};
  CHECK(survival(rates, 0) == Approx(1));
  CHECK(survival(rates, 0.25) == Approx(std::exp(-1.0)));
  CHECK(survival(rates, 1) == Approx(std::exp(-2.5)));
  CHECK(survival(rates, 20) == Approx(std::exp(-2.5 - 19)));
}

}  // namespace
}  // namespace cospot
