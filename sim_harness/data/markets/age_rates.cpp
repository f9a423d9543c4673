#include "sim_harness/data/markets/age_rates.hpp"

#include <algorithm>
#include <limits>

#include "core/portable_math.hpp"

namespace cospot {
namespace {

double age_begin(std::size_t age) { return age == 0 ? 0 : kAgeEnds[age - 1]; }

double age_end(std::size_t age) {
  return age < kAgeEnds.size() ? kAgeEnds[age] : std::numeric_limits<double>::infinity();
}

}  // namespace

void AgeTally::add(double from_hours, double to_hours, bool has_ended) {
  for (std::size_t age = 0; age < kAgeClasses; ++age) {
    if (to_hours <= age_begin(age) && age > 0) break;
    const double seen = std::min(to_hours, age_end(age)) - std::max(from_hours, age_begin(age));
    hours[age] += std::max(seen, 0.0);
    if (to_hours <= age_end(age) && has_ended) ends[age] += 1;
  }
}

void AgeTally::add(const AgeTally& other) {
  for (std::size_t age = 0; age < kAgeClasses; ++age) {
    hours[age] += other.hours[age];
    ends[age] += other.ends[age];
  }
}

void AgeTally::fade(double share) {
  for (std::size_t age = 0; age < kAgeClasses; ++age) {
    hours[age] *= share;
    ends[age] *= share;
  }
}

AgeRates rates_of(const AgeTally& tally, const AgeRates& around) {
  AgeRates rates{};
  for (std::size_t age = 0; age < kAgeClasses; ++age) {
    rates[age] = (tally.ends[age] + kShrinkEnds) / (tally.hours[age] + kShrinkEnds / around[age]);
  }
  return rates;
}

AgeRates rates_of(const AgeTally& tally) {
  double hours = 0, ends = 0;
  for (std::size_t age = 0; age < kAgeClasses; ++age) {
    hours += tally.hours[age];
    ends += tally.ends[age];
  }
  // Half an end more, and an hour: what was never seen is not impossible.
  AgeRates overall{};
  overall.fill((ends + 0.5) / (hours + 1));
  return rates_of(tally, overall);
}

double survival(const AgeRates& ends_per_hour, double hours) {
  double expected = 0;
  for (std::size_t age = 0; age < kAgeClasses && hours > age_begin(age); ++age) {
    expected += ends_per_hour[age] * (std::min(hours, age_end(age)) - age_begin(age));
  }
  return portable_exp(-expected);
}

}  // namespace cospot
