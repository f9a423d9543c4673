#include "guarantees/sla/lifetime_sla_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "core/errors.hpp"

namespace cospot {
namespace {

template <class T, std::size_t kCount>
T read_choice(const PluginOptions& options, const std::string& key, std::string_view fallback,
              const std::array<std::pair<std::string_view, T>, kCount>& choices) {
  const std::string text = options.read_string(key, std::string(fallback));
  std::array<std::string_view, kCount> names;
  for (std::size_t i = 0; i < kCount; ++i) {
    if (choices[i].first == text) return choices[i].second;
    names[i] = choices[i].first;
  }
  throw ConfigError(
      fmt::format("{} is '{}', expected one of: {}", key, text, fmt::join(names, ", ")));
}

double read_within(const PluginOptions& options, const std::string& key, double fallback,
                   double least, double most) {
  const double value = options.read_number(key, fallback);
  if (value >= least && value <= most) return value;
  throw ConfigError(
      fmt::format("{} is {}, expected a number from {} to {}", key, value, least, most));
}

std::size_t read_count(const PluginOptions& options, const std::string& key, std::size_t fallback) {
  constexpr double kMost = 100e6;
  const double value = read_within(options, key, static_cast<double>(fallback), 1, kMost);
  if (value == std::floor(value)) return static_cast<std::size_t>(value);
  throw ConfigError(fmt::format("{} is {}, expected a whole number", key, value));
}

void read_estimate(const PluginOptions& options, LifetimeEstimateSettings& estimate) {
  using Victim = std::pair<std::string_view, VictimRule>;
  using Censored = std::pair<std::string_view, CensoredLifetime>;
  using Kind = std::pair<std::string_view, QuantileKind>;
  using Flag = std::pair<std::string_view, bool>;
  estimate.samples = read_count(options, "samples", estimate.samples);
  estimate.samples_are_total = read_choice(options, "samples_per", "size",
                                           std::array{Flag("size", false), Flag("refresh", true)});
  estimate.samples_accumulate = read_choice(options, "samples_kept", "refresh",
                                            std::array{Flag("refresh", false), Flag("all", true)});
  estimate.least_samples = read_count(options, "least_samples", estimate.least_samples);
  estimate.victim = read_choice(options, "victim", "youngest",
                                std::array{Victim("youngest", VictimRule::kYoungest),
                                           Victim("first_host", VictimRule::kFirstHost),
                                           Victim("fewest", VictimRule::kFewest)});
  estimate.censored = read_choice(options, "censored", "forever",
                                  std::array{Censored("forever", CensoredLifetime::kForever),
                                             Censored("so_far", CensoredLifetime::kSoFar),
                                             Censored("dropped", CensoredLifetime::kDropped),
                                             Censored("survival", CensoredLifetime::kSurvival)});
  estimate.quantile = read_choice(
      options, "quantile", "linear",
      std::array{Kind("linear", QuantileKind::kLinear), Kind("lower", QuantileKind::kLower)});
  estimate.condition_width =
      read_within(options, "condition_width", estimate.condition_width, 0, 1);
  estimate.seed = static_cast<std::uint64_t>(
      read_within(options, "seed", static_cast<double>(estimate.seed), 0, 0x1p53));
}

}  // namespace

LifetimeSlaOptions read_lifetime_sla_options(const PluginOptions& options) {
  constexpr double kMicrosecondsPerHour = 3600e6;
  constexpr double kMostHours = 24 * 366;
  LifetimeSlaOptions read;
  using Flag = std::pair<std::string_view, bool>;
  read.target = options.read_number("target", read.target);
  if (!(read.target > 0 && read.target < 1)) {
    throw ConfigError(fmt::format(
        "target is {}, expected a probability of eviction between 0 and 1", read.target));
  }
  read.admits_before_forecast = read_choice(options, "before_first_refresh", "reject",
                                            std::array{Flag("reject", false), Flag("admit", true)});
  const double hours = read_within(options, "refresh_hours", 6, 1e-3, kMostHours);
  read.refresh = SimTime(static_cast<std::int64_t>(hours * kMicrosecondsPerHour));
  enum class Recorded : std::uint8_t { kAll, kNoEvictions, kOnDemand };
  using Record = std::pair<std::string_view, Recorded>;
  const Recorded recorded = read_choice(
      options, "history", "all",
      std::array{Record("all", Recorded::kAll), Record("without_evictions", Recorded::kNoEvictions),
                 Record("on_demand", Recorded::kOnDemand)});
  read.records_spots = recorded != Recorded::kOnDemand;
  read.records_evictions = recorded == Recorded::kAll;
  read.asked_factor = read_within(options, "asked_factor", read.asked_factor, 1e-3, 1e3);
  read.asking_percent = read_within(options, "asking_percent", read.asking_percent, 0, 100);
  read_estimate(options, read.estimate);
  return read;
}

}  // namespace cospot
