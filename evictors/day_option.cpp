#include "evictors/day_option.hpp"

#include <cmath>
#include <string>

#include "core/errors.hpp"

namespace cospot {
namespace {

/// Bounds what a sum of days in microseconds may reach, far beyond any workload.
constexpr double kMaxDay = 100'000;

}  // namespace

SimTime read_day(const PluginOptions& options, std::string_view policy, const char* key,
                 double fallback) {
  const double day = options.read_number(key, fallback);
  if (!(std::abs(day) <= kMaxDay)) {
    throw ConfigError(std::string(policy) + ": option '" + key +
                      "' must be a day from -100000 to 100000, not " + std::to_string(day));
  }
  return SimTime(std::llround(day * static_cast<double>(kDay.count())));
}

}  // namespace cospot
