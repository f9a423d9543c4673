#include "guarantees/pricing/predictability.hpp"

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace cospot {
namespace {

constexpr double kTail = 0.005;  // of 1 % on two sides
constexpr double kLeastPeriods = 5;

bool means_differ(const Moments& a, const Moments& b) {
  const double of_a = a.variance() / a.count();
  const double of_b = b.variance() / b.count();
  const double variance = of_a + of_b;
  if (variance <= 0) return a.mean() != b.mean();
  const double freedom =
      variance * variance / (of_a * of_a / (a.count() - 1) + of_b * of_b / (b.count() - 1));
  const double t = std::abs(a.mean() - b.mean()) / std::sqrt(variance);
  return cdf(complement(boost::math::students_t(freedom), t)) < kTail;
}

bool variances_differ(const Moments& a, const Moments& b) {
  const bool swapped = a.variance() < b.variance();
  const Moments& more = swapped ? b : a;
  const Moments& less = swapped ? a : b;
  if (less.variance() <= 0) return more.variance() > 0;
  const boost::math::fisher_f f(more.count() - 1, less.count() - 1);
  return cdf(complement(f, more.variance() / less.variance())) < kTail;
}

}  // namespace

std::optional<double> predictability(std::span<const Moments> days) {
  double pairs = 0, same = 0;
  for (std::size_t i = 1; i < days.size(); ++i) {
    const Moments& before = days[i - 1];
    const Moments& day = days[i];
    if (std::min(before.count(), day.count()) < kLeastPeriods) continue;
    pairs += 1;
    if (!means_differ(before, day) && !variances_differ(before, day)) same += 1;
  }
  if (pairs == 0) return std::nullopt;
  return same / pairs;
}

}  // namespace cospot
