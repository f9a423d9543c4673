#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace cospot {

/// Counts durations in bins a sixteenth of a power of two wide: quantiles to within 6 %, the
/// maximum exactly, in a fixed 4 KiB.
class LatencyHistogram {
 public:
  /// Adds a duration that stands for `weight` allocations.
  void add(std::uint64_t nanoseconds, std::uint32_t weight) {
    counts_[bin_of(nanoseconds)] += weight;
    total_ += weight;
    if (nanoseconds > largest_) largest_ = nanoseconds;
  }

  /// The least bin end that at least `share` of the allocations do not exceed, in nanoseconds; 0
  /// when there are none.
  [[nodiscard]] std::uint64_t quantile(double share) const {
    const double wanted = share * static_cast<double>(total_);
    std::uint64_t seen = 0;
    for (std::size_t bin = 0; bin < counts_.size(); ++bin) {
      seen += counts_[bin];
      if (seen > 0 && static_cast<double>(seen) >= wanted) return std::min(end_of(bin), largest_);
    }
    return largest_;
  }

  [[nodiscard]] std::uint64_t largest() const { return largest_; }

 private:
  static constexpr int kPartBits = 4;
  static constexpr std::uint64_t kParts = 1 << kPartBits;
  static constexpr int kExponents = 48;  // more than three days

  [[nodiscard]] static std::size_t bin_of(std::uint64_t value) {
    if (value < kParts) return value;
    const int exponent = static_cast<int>(std::bit_width(value)) - 1 - kPartBits;
    if (exponent >= kExponents) return kExponents * kParts + kParts - 1;
    return static_cast<std::size_t>(exponent) * kParts + (value >> exponent);
  }

  [[nodiscard]] static std::uint64_t end_of(std::size_t bin) {
    if (bin < 2 * kParts) return bin;
    const std::uint64_t exponent = bin / kParts - 1;
    return ((bin % kParts + kParts + 1) << exponent) - 1;
  }

  std::array<std::uint32_t, (kExponents + 1) * kParts> counts_{};
  std::uint64_t total_ = 0;
  std::uint64_t largest_ = 0;
};

}  // namespace cospot
