#pragma once

#include <array>
#include <cstddef>

namespace cospot {

/// Upper end of each age class but the last, in hours.
inline constexpr std::array<double, 4> kAgeEnds{0.25, 1, 4, 16};
inline constexpr std::size_t kAgeClasses = kAgeEnds.size() + 1;

/// Observed time in each age class, and the number of ends in it.
struct AgeTally {
  std::array<double, kAgeClasses> hours{};
  std::array<double, kAgeClasses> ends{};

  /// Adds an observation that lasted this long, then ended or was censored.
  void add(double lasted_hours, bool has_ended) { add(0, lasted_hours, has_ended); }
  /// Adds an observation between two ages, which then ended or was censored.
  void add(double from_hours, double to_hours, bool has_ended);
  void add(const AgeTally& other);
  /// Multiplies all that was observed so far, so that it counts less.
  void fade(double share);
};

/// Ends per hour, by age class. The rate of a class shrinks towards that of `around` with the
/// weight of `kShrinkEnds` ends.
using AgeRates = std::array<double, kAgeClasses>;
inline constexpr double kShrinkEnds = 5;
[[nodiscard]] AgeRates rates_of(const AgeTally& tally, const AgeRates& around);
/// The same without a surrounding tally: shrinks towards the tally's overall rate.
[[nodiscard]] AgeRates rates_of(const AgeTally& tally);

/// The probability of no end within `hours`.
[[nodiscard]] double survival(const AgeRates& ends_per_hour, double hours);

}  // namespace cospot
