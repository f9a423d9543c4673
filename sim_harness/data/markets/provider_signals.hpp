#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "core/model/resource_vector.hpp"
#include "sim_harness/base/json/json.hpp"

namespace cospot {

/// Upper end of each age class but the last, in hours.
inline constexpr std::array<double, 4> kSignalAgeEnds{0.25, 1, 4, 16};
inline constexpr std::size_t kSignalAges = kSignalAgeEnds.size() + 1;

/// Observed time in each age class, and the number of ends in it.
struct AgeTally {
  std::array<double, kSignalAges> hours{};
  std::array<double, kSignalAges> ends{};

  /// Adds an observation that lasted this long, then ended or was censored.
  void add(double lasted_hours, bool has_ended) { add(0, lasted_hours, has_ended); }
  /// Adds an observation between two ages, which then ended or was censored.
  void add(double from_hours, double to_hours, bool has_ended);
  void add(const AgeTally& other);
  /// Multiplies all that was observed so far, so that it counts less.
  void fade(double share);
};

/// Ends per hour, by age class. The rate of a class shrinks towards that of `around` with the
/// weight of `kSignalShrinkEnds` ends.
using AgeRates = std::array<double, kSignalAges>;
inline constexpr double kSignalShrinkEnds = 5;
[[nodiscard]] AgeRates rates_of(const AgeTally& tally, const AgeRates& around);
/// The same without a surrounding tally: shrinks towards the tally's overall rate.
[[nodiscard]] AgeRates rates_of(const AgeTally& tally);

/// The probability of no end within `hours`.
[[nodiscard]] double survival(const AgeRates& ends_per_hour, double hours);

/// A provider's signals for a flavor: the eviction rate of its spots by age, and the rate at which
/// the wait for a spot ends after an eviction.
struct FlavorSignals {
  ResourceVector size;  ///< vcpus and memory_mb
  AgeTally runs{}, waits{};
  AgeRates evictions_per_hour{}, ends_per_hour{};

  /// The probability that a spot is not evicted within `hours`.
  [[nodiscard]] double survives(double hours) const { return survival(evictions_per_hour, hours); }
  /// The mean time to eviction, if the rate of the oldest age class continues.
  [[nodiscard]] double mean_hours_to_eviction() const;
};

/// The file written by `cospot signals -o` and read by customers' tools: learned only from the
/// history before `learned_until_hours`.
struct ProviderSignals {
  static constexpr const char* kFormat = "cospot-signals";
  static constexpr int kVersion = 1;

  std::string history;
  double learned_until_hours = 0;
  std::vector<FlavorSignals> flavors{};

  /// Errors: ConfigError that lists the known flavors.
  [[nodiscard]] const FlavorSignals& of(const ResourceVector& size, const std::string& file) const;
};

/// docs/signals.md describes its members.
[[nodiscard]] Json signals_file_json(const ProviderSignals& signals);

/// Errors: ConfigError with the file and what was expected.
[[nodiscard]] ProviderSignals read_signals_file(const std::filesystem::path& file);

}  // namespace cospot
