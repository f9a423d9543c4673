#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "core/model/resource_vector.hpp"
#include "sim_harness/base/json/json.hpp"

namespace cospot {

/// Hours up to which ages belong to each class but the last.
inline constexpr std::array<double, 4> kSignalAgeEnds{0.25, 1, 4, 16};
inline constexpr std::size_t kSignalAges = kSignalAgeEnds.size() + 1;

/// How long something was seen at each class of ages, and how often it ended there.
struct AgeTally {
  std::array<double, kSignalAges> hours{};
  std::array<double, kSignalAges> ends{};

  /// Something that lasted so long, and then ended or was seen no longer.
  void add(double lasted_hours, bool has_ended) { add(0, lasted_hours, has_ended); }
  /// Something that was seen between two ages, and then ended or was seen no longer.
  void add(double from_hours, double to_hours, bool has_ended);
  void add(const AgeTally& other);
  /// Counts everything so far as if only this share of it had been seen.
  void fade(double share);
};

/// How often it ends, an hour, by the class of its age. An hour's ends of a class are drawn towards
/// those of `around` as if `kSignalShrinkEnds` ends had been seen at that rate.
using AgeRates = std::array<double, kSignalAges>;
inline constexpr double kSignalShrinkEnds = 5;
[[nodiscard]] AgeRates rates_of(const AgeTally& tally, const AgeRates& around);
/// The same of a tally that nothing is around: drawn towards its own rate at all ages.
[[nodiscard]] AgeRates rates_of(const AgeTally& tally);

/// The probability that it does not end within so many hours.
[[nodiscard]] double survival(const AgeRates& ends_per_hour, double hours);

/// What a provider tells of a flavor: how often its spots are evicted by their age, and how often
/// the wait for a spot ends after one was evicted.
struct FlavorSignals {
  ResourceVector size;  ///< vcpus and memory_mb
  AgeTally runs{}, waits{};
  AgeRates evictions_per_hour{}, ends_per_hour{};

  /// The probability that a spot is not evicted within so many hours.
  [[nodiscard]] double survives(double hours) const { return survival(evictions_per_hour, hours); }
  /// The mean time to its eviction, if what is told of the oldest age goes on.
  [[nodiscard]] double mean_hours_to_eviction() const;
};

/// What `cospot signals -o` writes, and customers' tools read: learned from the history before
/// `learned_until_hours` and nothing else.
struct ProviderSignals {
  static constexpr const char* kFormat = "cospot-signals";
  static constexpr int kVersion = 1;

  std::string history;
  double learned_until_hours = 0;
  std::vector<FlavorSignals> flavors{};

  /// Errors: ConfigError that names the flavors there are.
  [[nodiscard]] const FlavorSignals& of(const ResourceVector& size, const std::string& file) const;
};

/// docs/signals.md has its members.
[[nodiscard]] Json signals_file_json(const ProviderSignals& signals);

/// Errors: ConfigError with the file, and what was expected in its place.
[[nodiscard]] ProviderSignals read_signals_file(const std::filesystem::path& file);

}  // namespace cospot
