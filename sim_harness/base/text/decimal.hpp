#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/model/sim_time.hpp"

namespace cospot {

/// A decimal number as it is written, so that a time that is a product of it is exact.
class Decimal {
 public:
  constexpr Decimal(std::int64_t whole = 0) : digits_(whole) {}  // NOLINT: a whole number is one
  /// The shortest decimal that reads as `number`: 1.13 is 1.13. `number` is finite.
  [[nodiscard]] static Decimal of(double number);
  /// Reads what std::from_chars reads as a finite double, to kMostDigits digits that count; those
  /// beyond are cut off. Nothing: not a number, or no double holds it.
  [[nodiscard]] static std::optional<Decimal> parse(std::string_view text);

  static constexpr int kMostDigits = 22;

  [[nodiscard]] double number() const;
  /// Times a duration, rounded down. No factor is negative, and no duration longer than 10^15
  /// microseconds; the product fits a SimTime.
  [[nodiscard]] SimTime times_rounded_down(SimTime duration) const;
  /// As days: the nearest microsecond, halves away from 0. Nothing: more than `most` from 0.
  [[nodiscard]] std::optional<SimTime> days(SimTime most) const;

  friend bool operator==(const Decimal&, const Decimal&) = default;

 private:
  __extension__ using Wide = __int128;

  Wide digits_;
  int exponent_ = 0;  ///< the number is digits_ * 10^exponent_
};

}  // namespace cospot
