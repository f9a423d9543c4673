#pragma once

#include <algorithm>

#include "core/portable_math.hpp"

namespace cospot {

/// Corrects forecasts that are too high or too low on the whole: their odds p / (1 - p) are
/// multiplied by a factor that is learned from how past forecasts turned out. 0 and 1 stay as they
/// are. The factor is 1 before anything is learned.
///
/// Source: Platt scaling with slope 1, learned online by Newton steps; Gupta and Ramdas, "Online
/// Platt Scaling with Calibeating", ICML 2023.
class OddsRecalibration {
 public:
  /// Args: weight: above 0; how firmly the factor starts at 1. A case with probability 1/2 counts
  /// 1/4, one with p counts p (1 - p).
  explicit OddsRecalibration(double weight) : weight_(weight) {}

  [[nodiscard]] double recalibrated(double forecast) const {
    const double likely = forecast * portable_exp(log_factor_);
    return likely / (likely + (1 - forecast));
  }

  /// Learns from a forecast as it was before its correction.
  void learn(double forecast, bool happened) {
    const double corrected = recalibrated(forecast);
    weight_ += corrected * (1 - corrected);
    log_factor_ = std::clamp(log_factor_ + ((happened ? 1 : 0) - corrected) / weight_,
                             -kMostLogFactor, kMostLogFactor);
  }

 private:
  static constexpr double kMostLogFactor = 5;  // a factor of 148: beyond it no forecast is of use

  double weight_;
  double log_factor_ = 0;
};

}  // namespace cospot
