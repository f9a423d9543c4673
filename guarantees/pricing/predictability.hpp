#pragma once

#include <optional>
#include <span>

namespace cospot {

/// Count, mean and variance of numbers that come one by one.
class Moments {
 public:
  void add(double value) {
    count_ += 1;
    const double off = value - mean_;
    mean_ += off / count_;
    squares_ += off * (value - mean_);
  }
  [[nodiscard]] double count() const { return count_; }
  [[nodiscard]] double mean() const { return mean_; }
  [[nodiscard]] double variance() const { return count_ > 1 ? squares_ / (count_ - 1) : 0; }

 private:
  double count_ = 0;
  double mean_ = 0;
  double squares_ = 0;  // of the distances from the mean
};

/// Predictability: how stationary the distribution of times to revocation is. The paper means "the
/// frequency at which its mean and variance change". Here: the share of neighbouring days at which
/// neither does. `days` holds, for each day, the logarithms of the idle periods that a revocation
/// ended. A change is a difference of means (Welch's t) or of variances (F) that is significant at
/// 1 %. Days of fewer than 5 periods are not compared; without a pair of days, nothing.
[[nodiscard]] std::optional<double> predictability(std::span<const Moments> days);

}  // namespace cospot
