#pragma once

#include <chrono>
#include <cstdint>

#include "core/handshake/spot_side.hpp"
#include "sim_harness/provider/run/latency_histogram.hpp"

namespace cospot {

/// Times VM allocations. Reading the clock takes as long as a quick decision, so of those only one
/// in kTimedOneIn is timed and stands for as many. An allocation that walks its offer, because no
/// host near the top is free of spots, is always timed; what came before the walk is then counted
/// as long as in the last one that was timed. It learns of walks as the handshake's observer.
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

  /// The VM has its host.
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
