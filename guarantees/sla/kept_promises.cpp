#include "guarantees/sla/kept_promises.hpp"

#include <boost/math/distributions/binomial.hpp>

namespace cospot {

ProbabilityInterval eviction_interval(const PromiseCount& count, double confidence) {
  if (count.promised == 0) return {};
  using Binomial = boost::math::binomial_distribution<double>;
  const auto trials = static_cast<double>(count.promised);
  const auto broken = static_cast<double>(count.broken);
  const double each_side = (1 - confidence) / 2;
  return {.lower = Binomial::find_lower_bound_on_p(trials, broken, each_side),
          .upper = Binomial::find_upper_bound_on_p(trials, broken, each_side)};
}

PromiseVerdict verdict_of(const PromiseCount& count, double target, double confidence) {
  const ProbabilityInterval interval = eviction_interval(count, confidence);
  if (interval.upper <= target) return PromiseVerdict::kKept;
  return interval.lower > target ? PromiseVerdict::kBroken : PromiseVerdict::kUnclear;
}

}  // namespace cospot
