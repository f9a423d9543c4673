#include "guarantees/sla/kept_promises.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace cospot {
namespace {

ProbabilityInterval clopper_pearson(double broken, double promised, double confidence) {
  using Binomial = boost::math::binomial_distribution<double>;
  const double each_side = (1 - confidence) / 2;
  return {.lower = Binomial::find_lower_bound_on_p(promised, broken, each_side),
          .upper = Binomial::find_upper_bound_on_p(promised, broken, each_side)};
}

/// The excess variation of the blocks' shares over that of independent evictions, times the
/// uncertainty of an estimate from few blocks; 1 if they do not vary more.
double design_effect(std::span<const PromiseCount> blocks, const PromiseCount& all,
                     double confidence) {
  const double share = static_cast<double>(all.broken) / static_cast<double>(all.promised);
  const double independent = static_cast<double>(all.promised) * share * (1 - share);
  double squares = 0;
  double used = 0;
  for (const PromiseCount& block : blocks) {
    if (block.promised == 0) continue;
    const double off =
        static_cast<double>(block.broken) - share * static_cast<double>(block.promised);
    squares += off * off;
    ++used;
  }
  if (used < 2 || independent == 0) return 1;
  const double effect = used / (used - 1) * squares / independent;
  if (effect <= 1) return 1;
  const double upper = (1 + confidence) / 2;
  const double wider = boost::math::quantile(boost::math::students_t(used - 1), upper) /
                       boost::math::quantile(boost::math::normal(), upper);
  return effect * wider * wider;
}

}  // namespace

PromiseCount sum_of(std::span<const PromiseCount> blocks) {
  PromiseCount sum;
  for (const PromiseCount& block : blocks) sum += block;
  return sum;
}

ProbabilityInterval eviction_interval(const PromiseCount& count, double confidence) {
  if (count.promised == 0) return {};
  return clopper_pearson(static_cast<double>(count.broken), static_cast<double>(count.promised),
                         confidence);
}

ProbabilityInterval eviction_interval(std::span<const PromiseCount> blocks, double confidence) {
  const PromiseCount all = sum_of(blocks);
  if (all.promised == 0) return {};
  const double effect = design_effect(blocks, all, confidence);
  return clopper_pearson(static_cast<double>(all.broken) / effect,
                         static_cast<double>(all.promised) / effect, confidence);
}

PromiseVerdict verdict_of(const ProbabilityInterval& interval, double target) {
  if (interval.upper <= target) return PromiseVerdict::kKept;
  return interval.lower > target ? PromiseVerdict::kBroken : PromiseVerdict::kUnclear;
}

PromiseVerdict verdict_of(const PromiseCount& count, double target, double confidence) {
  return verdict_of(eviction_interval(count, confidence), target);
}

}  // namespace cospot
