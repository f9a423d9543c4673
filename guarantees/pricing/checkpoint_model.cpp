#include "guarantees/pricing/checkpoint_model.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "core/errors.hpp"
#include "core/portable_math.hpp"

namespace cospot {
namespace {

void require_positive(std::string_view what, double value) {
  if (value > 0) return;  // NaN is not
  throw ConfigError(fmt::format("{} is {}, expected a number above 0", what, value));
}

/// e^x - 1 of x >= 0, also where x is so small that e^x loses its digits.
double growth(double x) {
  if (x > 1e-5) return portable_exp(x) - 1;
  return x * (1 + x / 2 * (1 + x / 3));  // left out: x^4/24, below 1e-16 of it
}

}  // namespace

double checkpoint_hours(double memory_gb) {
  constexpr double kHoursPerGb = 10.0 / 60 / 16;
  require_positive("the memory size in GB", memory_gb);
  return memory_gb * kHoursPerGb;
}

double mean_life(double life, double share) {
  require_positive("the lifetime", life);
  if (!(share > 0 && share < 1)) {
    throw ConfigError(fmt::format("the share is {}, expected a number between 0 and 1", share));
  }
  return -life / portable_log(1 - share);
}

double optimal_interval(double checkpoint, double mttr) {
  require_positive("the time of a checkpoint", checkpoint);
  require_positive("the time to revocation", mttr);
  return std::sqrt(2 * checkpoint * mttr);
}

double extra_time(double checkpoint, double mttr, double interval) {
  require_positive("the time of a checkpoint", checkpoint);
  require_positive("the time to revocation", mttr);
  require_positive("the time between checkpoints", interval);
  if (std::isinf(interval)) return std::isinf(mttr) ? 0 : interval;
  return checkpoint / interval + interval / (2 * mttr);
}

double expected_time(double work, double checkpoint, double mttr, double interval) {
  return work * (1 + extra_time(checkpoint, mttr, interval));
}

double performance(double checkpoint, double mttr, double interval) {
  return 1 / (1 + extra_time(checkpoint, mttr, interval));
}

double best_performance(double checkpoint, double mttr) {
  require_positive("the time of a checkpoint", checkpoint);
  require_positive("the time to revocation", mttr);
  return 1 / (1 + std::sqrt(2 * checkpoint / mttr));
}

// One segment, an interval t of work and its checkpoint d, is safe when s = t + d pass without a
// revocation. These come at the rate 1/M. A revocation in a segment costs the time since it began;
// from then on each attempt begins with the restart r, and lasts min(life, r + s). An attempt that
// needs a time a succeeds with probability e^(-a/M) and lasts M (1 - e^(-a/M)) in expectation.
//   after a revocation:  Y = M (1 - e^(-(r+s)/M)) + (1 - e^(-(r+s)/M)) Y = M (e^((r+s)/M) - 1)
//   from a checkpoint:   X = M (1 - e^(-s/M)) + (1 - e^(-s/M)) Y         = M e^(r/M) (e^(s/M) - 1)
// Segments are independent, so the speed is t / X. With r = 0 and s << M it is t / (s + s^2 / 2M),
// equation 2 but for what the checkpoint itself loses. (Daly, 2006, section 2, has the same X.)
double renewal_performance(double checkpoint, double mttr, double interval, double restart) {
  require_positive("the time of a checkpoint", checkpoint);
  require_positive("the time to revocation", mttr);
  require_positive("the time between checkpoints", interval);
  if (!(restart >= 0)) {
    throw ConfigError(fmt::format("the time to restart is {}, expected 0 or more", restart));
  }
  if (std::isinf(interval)) return std::isinf(mttr) ? 1 : 0;
  const double segment = interval + checkpoint;
  if (std::isinf(mttr)) return interval / segment;
  return interval / (mttr * portable_exp(restart / mttr) * growth(segment / mttr));
}

double price(PriceRule rule, double performance) {
  if (rule == PriceRule::kEquilibrium) return performance;
  constexpr double kLog101 = 4.615120516841259;
  return (portable_exp(performance * kLog101) - 1) / 100;
}

}  // namespace cospot
