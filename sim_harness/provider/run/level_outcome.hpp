#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "core/model/revenue.hpp"

namespace cospot {

/// Why a request was never placed, or an instance earned less than it asked for. The first four
/// come before a placement, the others after it.
enum class LossCause : std::uint8_t {
  kRoom,       ///< no host had room
  kStaleView,  ///< some host had room, but not in the view of the scheduler that was asked
  kConflict,   ///< every commit was declined
  kDelay,      ///< it ended before it was placed; or the time until it was
  kEviction,
  kOutage,  ///< its host failed or was maintained
};
inline constexpr std::size_t kCausesBeforePlacement = 4;
inline constexpr std::size_t kLossCauses = 6;

/// What became of the requests of one priority level. Revenue inside the window, in
/// vcpu-microseconds: what is requested is earned or lost.
struct LevelOutcome {
  std::uint64_t requests = 0;
  /// Never placed, by LossCause.
  std::array<std::uint64_t, kCausesBeforePlacement> not_placed{};
  std::uint64_t evictions = 0;
  std::uint64_t commits = 0;    ///< that several schedulers tried
  std::uint64_t conflicts = 0;  ///< of them: declined
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
