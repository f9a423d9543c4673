#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/model/sim_time.hpp"

namespace cospot {

/// A decimal number with the digits as written, so that products with a time are exact.
class Decimal {
 public:
  constexpr Decimal(std::int64_t whole = 0) : digits_(whole) {}  // NOLINT: a whole number is one
  /// The shortest decimal that reads back as `number`, which must be finite.
  [[nodiscard]] static Decimal of(double number);
  /// Parses what std::from_chars reads as a finite double, truncated to kMostDigits significant
  /// digits. Nothing if it is not a number or exceeds a double.
  [[nodiscard]] static std::optional<Decimal> parse(std::string_view text);

  static constexpr int kMostDigits = 22;

  [[nodiscard]] double number() const;
  /// The product with a duration, rounded down. Expects a factor that is not negative, a duration
  /// of at most 10^15 microseconds, and a product that fits a SimTime.
  [[nodiscard]] SimTime times_rounded_down(SimTime duration) const;
  /// Interprets the number as days: the nearest microsecond, halves away from 0. Nothing if it is
  /// more than `most` from 0.
  [[nodiscard]] std::optional<SimTime> days(SimTime most) const;

  friend bool operator==(const Decimal&, const Decimal&) = default;

 private:
  __extension__ using Wide = __int128;

  Wide digits_;
  int exponent_ = 0;  ///< the value is digits_ * 10^exponent_
};

}  // namespace cospot
