#pragma once

#include <optional>
#include <span>

#include "sim_harness/base/json/json.hpp"

namespace cospot {

/// A mean, and half the width of its 95 % confidence interval by Student's t; none for one value.
struct MeanInterval {
  double mean = 0;
  std::optional<double> half_width{};
};

/// Of one value or more; without any, a mean of 0.
[[nodiscard]] MeanInterval mean_interval(std::span<const double> values);

/// Tells whether the whole interval is above 0; not without an interval.
[[nodiscard]] bool is_above_zero(const MeanInterval& mean);

/// That of Student's t which a 95 % interval of so many values has. Args: count: 2 or more.
[[nodiscard]] double t_quantile(std::size_t count);

/// `{"mean": ..., "half_width_95": ...}`, null where there is none of it.
[[nodiscard]] Json mean_json(const std::optional<MeanInterval>& mean);

}  // namespace cospot
