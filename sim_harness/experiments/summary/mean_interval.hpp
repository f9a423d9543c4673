#pragma once

#include <optional>
#include <span>

#include "sim_harness/base/json/json.hpp"

namespace cospot {

/// A mean and half the width of its 95 % confidence interval (Student's t); no width for one value.
struct MeanInterval {
  double mean = 0;
  std::optional<double> half_width{};
};

/// The mean of values and its interval. Without values, a mean of 0.
[[nodiscard]] MeanInterval mean_interval(std::span<const double> values);

/// The same for values of which only `independent` are independent, because the others overlap with
/// these: the interval is as wide as over that many, and below 2 there is none.
[[nodiscard]] MeanInterval mean_interval(std::span<const double> values, std::size_t independent);

/// The sum of some amounts by the sum of what each is measured by, such as money by months, with
/// the interval of such a ratio: longer parts count for more. For equal parts it is the mean of the
/// quotients. Source: Cochran, Sampling Techniques (1977), chapter 6.
[[nodiscard]] MeanInterval ratio_interval(std::span<const double> amounts,
                                          std::span<const double> by);

/// Tells whether the whole interval is above 0; false without an interval.
[[nodiscard]] bool is_above_zero(const MeanInterval& mean);

/// The quantile of Student's t for a 95 % interval over `count` values. Args: count: 2 or more.
[[nodiscard]] double t_quantile(std::size_t count);

/// `{"mean": ..., "half_width_95": ...}`, with null for missing parts.
[[nodiscard]] Json mean_json(const std::optional<MeanInterval>& mean);

}  // namespace cospot
