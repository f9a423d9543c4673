#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/model/sim_time.hpp"

namespace cospot {

/// Notices to evicted spots, and how well the reserve was kept.
struct NoticeResult {
  std::uint64_t evictions = 0;  ///< of spots, with or without notice
  std::uint64_t given = 0;
  std::uint64_t withdrawn = 0;
  std::uint64_t evictions_for_reserve = 0;  ///< the others were for VMs
  std::uint64_t evictions_with_full_notice = 0;
  /// A VM needed the capacity before the notice ended.
  std::uint64_t evictions_with_short_notice = 0;
  /// The notice of each evicted spot that received one.
  std::vector<SimTime> lengths{};
  SimTime lacking{0};  ///< time in the window during which the reserve was incomplete

  [[nodiscard]] std::uint64_t evictions_without_notice() const {
    return evictions - evictions_with_full_notice - evictions_with_short_notice;
  }
  // In seconds, over all evicted spots; 0 for a spot without notice. Nothing if no spot was
  // evicted.

  [[nodiscard]] std::optional<double> mean_s() const;
  /// The smallest notice that a share `part` of them does not exceed.
  [[nodiscard]] std::optional<double> quantile_s(double part) const;

  friend bool operator==(const NoticeResult&, const NoticeResult&) = default;
};

}  // namespace cospot
