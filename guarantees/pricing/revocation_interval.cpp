#include "guarantees/pricing/revocation_interval.hpp"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

namespace cospot {
namespace {

constexpr double kEachTail = 0.025;

/// Garwood's interval of a Poisson count, as time per event.
HourInterval poisson_interval(double idle_hours, double revocations) {
  using boost::math::chi_squared;
  using boost::math::complement;
  using boost::math::quantile;
  HourInterval interval;
  interval.low = 2 * idle_hours / quantile(complement(chi_squared(2 * revocations + 2), kEachTail));
  interval.high = revocations == 0
                      ? std::numeric_limits<double>::infinity()
                      : 2 * idle_hours / quantile(chi_squared(2 * revocations), kEachTail);
  return interval;
}

/// Fewer say hardly anything about how much blocks differ.
constexpr std::size_t kFewestBlocks = 4;

/// The half width of the interval of the logarithm, from blocks of days of nearly one length.
double log_half_width(std::span<const DayOfIdle> days, const DayOfIdle& sum, std::size_t blocks) {
  const auto count = static_cast<double>(blocks);
  double squares = 0;
  for (std::size_t block = 0; block < blocks; ++block) {
    double residual = 0;
    for (std::size_t day = block * days.size() / blocks; day < (block + 1) * days.size() / blocks;
         ++day) {
      residual += days[day].revocations / sum.revocations - days[day].idle_hours / sum.idle_hours;
    }
    squares += residual * residual;
  }
  const boost::math::students_t t(count - 1);
  const double quantile = boost::math::quantile(boost::math::complement(t, kEachTail));
  return quantile * std::sqrt(squares * count / (count - 1));
}

/// The widest of those of blocks of 1, 2, 4, ... days.
double widest_log_half_width(std::span<const DayOfIdle> days, const DayOfIdle& sum) {
  double widest = log_half_width(days, sum, days.size());
  for (std::size_t length = 2; days.size() / length >= kFewestBlocks; length *= 2) {
    widest = std::max(widest, log_half_width(days, sum, days.size() / length));
  }
  return widest;
}

}  // namespace

HourInterval time_to_revocation_interval(std::span<const DayOfIdle> days) {
  DayOfIdle sum;
  for (const DayOfIdle& day : days) {
    sum.idle_hours += day.idle_hours;
    sum.revocations += day.revocations;
  }
  HourInterval interval = poisson_interval(sum.idle_hours, sum.revocations);
  if (days.size() < 2 || sum.revocations == 0) return interval;
  const double mttr = sum.idle_hours / sum.revocations;
  const double half_width = widest_log_half_width(days, sum);
  interval.low = std::min(interval.low, mttr * std::exp(-half_width));
  interval.high = std::max(interval.high, mttr * std::exp(half_width));
  return interval;
}

}  // namespace cospot
