#pragma once

#include <optional>
#include <span>
#include <string>

namespace cospot {

/// A mean, and half the width of its 95 % confidence interval by Student's t; none for one value.
struct MeanInterval {
  double mean = 0;
  std::optional<double> half_width{};
};

/// Of one value or more; without any, a mean of 0.
[[nodiscard]] MeanInterval mean_interval(std::span<const double> values);

/// `{"mean": ..., HALF_WIDTH: ...}`, null where there is none of it.
[[nodiscard]] std::string mean_json(const std::optional<MeanInterval>& mean,
                                    const char* half_width);

}  // namespace cospot
