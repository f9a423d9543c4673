#pragma once

#include <cmath>
#include <limits>

namespace cospot {

// std::log and std::exp are allowed to differ in the last bit between C libraries, and do. These
// two use only operations that IEEE 754 rounds in one way (+ - * /), so the same argument gives the
// same bits on every machine, given -ffp-contract=off. Use them for whatever seeded draws depend
// on.

inline constexpr double kLn2High = 0x1.62e42fefa38p-1;   ///< ln 2 to 43 bits: k * high is exact
inline constexpr double kLn2Low = 0x1.ef35793c7673p-45;  ///< what is left of ln 2

/// The natural logarithm of a positive finite number, to within 2 units in the last place of the
/// larger of the result and 1.
[[nodiscard]] inline double portable_log(double x) {
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);  // in [0.5, 1)
  if (mantissa < 0.70710678118654752) {        // now in [sqrt(1/2), sqrt(2)), so that |z| < 0.1716
    mantissa *= 2;
    --exponent;
  }
  // ln m = 2 atanh(z) = 2 (z + z^3/3 + z^5/5 + ...) with z = (m-1)/(m+1). The first term left out
  // is z^25/25 < 3e-21.
  const double z = (mantissa - 1) / (mantissa + 1);
  const double square = z * z;
  double series = 0;
  for (int power = 23; power >= 3; power -= 2) series = (series + 1.0 / power) * square;
  const double log_mantissa = 2 * z + 2 * z * series;
  return exponent * kLn2High + (log_mantissa + exponent * kLn2Low);
}

/// e to the power `x`, to within 2 units in the last place; 0 or infinity beyond double's range.
[[nodiscard]] inline double portable_exp(double x) {
  if (x > 709.7) return std::numeric_limits<double>::infinity();
  if (x < -708.3) return 0;
  // x = k ln 2 + r with |r| <= ln(2)/2; the first Taylor term left out is r^15/15! < 1e-19.
  const double k = std::floor(x / (kLn2High + kLn2Low) + 0.5);
  const double r = (x - k * kLn2High) - k * kLn2Low;
  double series = 1;
  for (int term = 14; term >= 1; --term) series = 1 + series * r / term;
  return std::ldexp(series, static_cast<int>(k));
}

}  // namespace cospot
