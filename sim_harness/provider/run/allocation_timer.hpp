#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdint>

#include "core/handshake/spot_side.hpp"

namespace cospot {

/// Counts durations in bins that are a sixteenth of a power of two wide: quantiles are within 6 %,
/// the maximum is exact, and it takes a fixed 4 KiB.
class LatencyHistogram {
 public:
  /// Adds a duration that represents `weight` allocations.
  void add(std::uint64_t nanoseconds, std::uint32_t weight) {
    counts_[bin_of(nanoseconds)] += weight;
    total_ += weight;
    if (nanoseconds > largest_) largest_ = nanoseconds;
  }

  /// The smallest upper bin edge that at least `share` of the allocations do not exceed, in
  /// nanoseconds; 0 if there are none.
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

/// Times allocations. Reading the clock takes as long as a quick decision, so only one in
/// kTimedOneIn of those is timed and represents as many. An allocation that walks its offer,
/// because no host near the top is free of spots, is always timed; the part before the walk counts
/// as long as in the last one that was timed. As the handshake's observer, the timer sees the
/// walks.
class AllocationTimer : public HandshakeObserver {
 public:
  static constexpr std::uint32_t kTimedOneIn = 64;

  void start() {
    is_sampled_ = count_++ % kTimedOneIn == 0;
    walks_ = false;
    if (is_sampled_) start_ = Clock::now();
  }

  void walks() {
    walks_ = true;
    if (!is_sampled_) start_ = Clock::now();
  }

  /// Ends the measurement: the instance has its host.
  void stop() {
    if (!walks_ && !is_sampled_) return;
    const auto elapsed =
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start_);
    const auto nanoseconds = static_cast<std::uint64_t>(elapsed.count());
    if (walks_) {
      histogram_.add(nanoseconds + (is_sampled_ ? 0 : quick_ns_), 1);
    } else {
      quick_ns_ = nanoseconds;
      histogram_.add(nanoseconds, kTimedOneIn);
    }
  }

  [[nodiscard]] const LatencyHistogram& histogram() const { return histogram_; }

 private:
  using Clock = std::chrono::steady_clock;

  Clock::time_point start_;
  std::uint32_t count_ = 0;
  bool is_sampled_ = false;
  bool walks_ = false;
  std::uint64_t quick_ns_ = 0;
  LatencyHistogram histogram_;
};

}  // namespace cospot
