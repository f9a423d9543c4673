#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/errors.hpp"
#include "core/portable_math.hpp"
#include "core/random.hpp"
#include "sim_harness/data/markets/availability_trace.hpp"

namespace cospot {
namespace {

constexpr double kShort = 0.1;  ///< of the mean: what AvailabilityModel::short_share have

/// Draws how long things last.
class Durations {
 public:
  Durations(const AvailabilityModel& model, std::uint64_t seed) : model_(model), random_(seed) {}

  /// Hours, with the mean `mean`.
  double draw(double mean) {
    const double share = model_.short_share;
    const double long_mean = mean * (1 - share * kShort) / (1 - share);
    const bool is_short = random_.uniform() < share;
    return random_.exponential(1 / (is_short ? mean * kShort : long_mean));
  }

  /// The ratio of the present mean time without capacity to the overall one.
  double scarcity(double hour) {
    while (model_.regime_days > 0 && hour >= regime_end_) {
      regime_end_ += 24 * random_.exponential(1 / model_.regime_days);
      const double factor = model_.regime_factor;
      const std::array<double, 3> factors{1 / factor, 1, factor};
      regime_ = factors[random_.below(factors.size())];
    }
    // A triangle wave instead of a cosine, which not every libm rounds alike: -1 at 0 h, 1 at 12 h.
    const double of_day = hour - 24 * std::floor(hour / 24);
    const double wave = 1 - std::abs(of_day - 12) / 6;
    return regime_ * (1 + model_.daily_swing * wave);
  }

 private:
  const AvailabilityModel& model_;
  Random random_;
  double regime_ = 1;
  double regime_end_ = 0;
};

}  // namespace

const std::vector<AvailabilityModel>& availability_models() {
  static const std::vector<AvailabilityModel> models{
      {.name = "markov", .summary = "Capacity comes and goes without memory."},
      {.name = "bursty",
       .summary = "Half of all times are short: capacity flickers, then stays.",
       .up_hours = 5,
       .down_hours = 3,
       .short_share = 0.5},
      {.name = "daily",
       .summary = "Scarce by day, plentiful at night.",
       .up_hours = 3,
       .down_hours = 2,
       .short_share = 0.3,
       .daily_swing = 0.9},
      {.name = "regimes",
       .summary = "Days of plenty and days of scarcity.",
       .up_hours = 4,
       .down_hours = 2,
       .short_share = 0.4,
       .regime_days = 3,
       .regime_factor = 4},
      {.name = "scarce",
       .summary = "Capacity is away most of the time.",
       .up_hours = 1.5,
       .down_hours = 5,
       .short_share = 0.4,
       .regime_days = 5,
       .regime_factor = 2}};
  return models;
}

const AvailabilityModel& find_availability_model(const std::string& name) {
  std::vector<std::string> names;
  for (const AvailabilityModel& model : availability_models()) {
    if (model.name == name) return model;
    names.push_back(model.name);
  }
  throw ConfigError(fmt::format("availability model: found '{}', expected one of: {}", name,
                                fmt::join(names, ", ")));
}

AvailabilityTrace make_availability(const AvailabilityModel& model, std::uint64_t seed,
                                    SimTime length, SimTime tick) {
  const double tick_hours = hours_of(tick);
  AvailabilityTrace trace{.tick = tick,
                          .capacity = std::vector<std::uint32_t>(
                              static_cast<std::size_t>(std::max<std::int64_t>(length / tick, 1)))};
  Durations durations(model, seed);
  bool is_up = true;
  double until = durations.draw(model.up_hours);
  for (std::size_t i = 0; i < trace.capacity.size(); ++i) {
    const double hour = static_cast<double>(i) * tick_hours;
    while (hour >= until) {
      is_up = !is_up;
      until += is_up ? durations.draw(model.up_hours)
                     : durations.draw(model.down_hours * std::max(0.05, durations.scarcity(hour)));
    }
    trace.capacity[i] = is_up ? 1 : 0;
  }
  return trace;
}

}  // namespace cospot
