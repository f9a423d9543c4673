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

}  // namespace

double checkpoint_hours(double memory_gb) {
  constexpr double kHoursPerGb = 10.0 / 60 / 16;
  require_positive("the memory size in GB", memory_gb);
  return memory_gb * kHoursPerGb;
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

double price(PriceRule rule, double performance) {
  if (rule == PriceRule::kEquilibrium) return performance;
  constexpr double kLog101 = 4.615120516841259;
  return (portable_exp(performance * kLog101) - 1) / 100;
}

}  // namespace cospot
