#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/model/sim_time.hpp"

namespace cospot {

/// How evicted spots were told, and how the reserve did.
struct NoticeResult {
  std::uint64_t evictions = 0;  ///< of spots, whoever told them
  std::uint64_t given = 0;
  std::uint64_t withdrawn = 0;
  std::uint64_t evictions_for_reserve = 0;  ///< the others were for VMs
  std::uint64_t evictions_with_full_notice = 0;
  std::uint64_t evictions_with_short_notice = 0;  ///< a VM came before it was over
  /// Of each evicted spot that was told, how long before.
  std::vector<SimTime> lengths{};
  SimTime lacking{0};  ///< how long in the window the reserve was not complete

  [[nodiscard]] std::uint64_t evictions_without_notice() const {
    return evictions - evictions_with_full_notice - evictions_with_short_notice;
  }
  // Seconds, of all evicted spots: 0 for one that was not told. Nothing where none was evicted.

  [[nodiscard]] std::optional<double> mean_s() const;
  /// The least that `part` of them do not exceed.
  [[nodiscard]] std::optional<double> quantile_s(double part) const;
};

}  // namespace cospot
