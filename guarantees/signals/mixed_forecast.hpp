#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "core/portable_math.hpp"

namespace cospot {

/// Mixes several ways to forecast a probability. The weight of a way is exp(-rate * its squared
/// error so far): a bad way soon counts for little. Ways that do equally well are averaged, and
/// their mean is better calibrated than a choice that jumps between them.
///
/// Source: exponentially weighted average; Cesa-Bianchi and Lugosi, "Prediction, Learning, and
/// Games", 2006, section 2.2.
template <std::size_t kWays>
class MixedForecast {
 public:
  using Forecasts = std::array<double, kWays>;

  /// Args: rate: above 0. Up to 2 is right for independent cases (ibid., section 3.3); if n cases
  /// turn out alike, because one burst of evictions decides them, an n-th of that.
  explicit MixedForecast(double rate) : rate_(rate) {}

  [[nodiscard]] double mix(const Forecasts& forecasts) const {
    const double least = *std::min_element(losses_.begin(), losses_.end());
    double sum = 0, weights = 0;
    for (std::size_t way = 0; way < kWays; ++way) {
      const double weight = portable_exp(-rate_ * (losses_[way] - least));
      sum += weight * forecasts[way];
      weights += weight;
    }
    return sum / weights;
  }

  void learn(const Forecasts& forecasts, bool happened) {
    for (std::size_t way = 0; way < kWays; ++way) {
      const double error = forecasts[way] - (happened ? 1 : 0);
      losses_[way] += error * error;
    }
  }

 private:
  double rate_;
  std::array<double, kWays> losses_{};
};

}  // namespace cospot
