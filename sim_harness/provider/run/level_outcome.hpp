#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "core/model/revenue.hpp"

namespace cospot {

/// The reason for which a request was never placed, or an instance earned less than requested. The
/// first four apply before a placement, the others after it.
enum class LossCause : std::uint8_t {
  kRoom,       ///< no host had enough capacity
  kStaleView,  ///< some host had the capacity, but not in the scheduler's view
  kConflict,   ///< every commit was declined
  kDelay,      ///< it ended before its placement; or revenue lost until its placement
  kEviction,
  kOutage,  ///< its host failed or was under maintenance
};
inline constexpr std::size_t kCausesBeforePlacement = 4;
inline constexpr std::size_t kLossCauses = 6;

/// The outcome of the requests of one priority level. Revenue counts inside the window, in
/// vcpu-microseconds: requested revenue is either earned or lost.
struct LevelOutcome {
  std::uint64_t requests = 0;
  /// Never placed, by LossCause.
  std::array<std::uint64_t, kCausesBeforePlacement> not_placed{};
  std::uint64_t evictions = 0;
  std::uint64_t commits = 0;    ///< attempted by several schedulers
  std::uint64_t conflicts = 0;  ///< declined commits
  Revenue revenue_requested = 0;
  std::array<Revenue, kLossCauses> revenue_lost{};  ///< by LossCause

  [[nodiscard]] std::uint64_t lost_to(LossCause cause) const {
    return not_placed[static_cast<std::size_t>(cause)];
  }
  [[nodiscard]] Revenue revenue_lost_to(LossCause cause) const {
    return revenue_lost[static_cast<std::size_t>(cause)];
  }
  [[nodiscard]] std::uint64_t rejected() const {
    return std::accumulate(not_placed.begin(), not_placed.end(), std::uint64_t{0});
  }
  [[nodiscard]] std::uint64_t placed() const { return requests - rejected(); }
  [[nodiscard]] Revenue revenue() const {
    return revenue_requested -
           std::accumulate(revenue_lost.begin(), revenue_lost.end(), Revenue{0});
  }

  friend bool operator==(const LevelOutcome&, const LevelOutcome&) = default;
};

}  // namespace cospot
