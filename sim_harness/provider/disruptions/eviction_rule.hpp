#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/model/resource_vector.hpp"
#include "core/model/sim_time.hpp"
#include "guarantees/pricing/checkpoint_model.hpp"

namespace cospot {

/// The fate of an evicted spot's work.
enum class OnEviction : std::uint8_t {
  kLose,     ///< as LifePlan::returning_spots says; a spot that returns has kept its work
  kRestart,  ///< the spot asks again, and does all of its work anew
  kMove,     ///< the spot asks again, restores its state, and does the rest of its work
};

/// The size of the state that a spot moves.
struct StateSize {
  double percent = 100;  ///< of its memory_mb
  double fixed_mb = 0;   ///< in addition
  friend bool operator==(const StateSize&, const StateSize&) = default;
};

/// The rates at which it moves.
struct Bandwidth {
  double save_mb_s = kSaveMbPerSecond;
  double restore_mb_s = kRestoreMbPerSecond;
  friend bool operator==(const Bandwidth&, const Bandwidth&) = default;
};

/// The effect of an eviction on a spot. Semantics: docs/semantics.md, "The work of evicted spots".
struct EvictionRule {
  OnEviction what = OnEviction::kLose;
  StateSize state{};
  Bandwidth bandwidth{};

  [[nodiscard]] SimTime save_time(ResourceAmount memory_mb) const {
    return time_at(bandwidth.save_mb_s, memory_mb);
  }
  [[nodiscard]] SimTime restore_time(ResourceAmount memory_mb) const {
    return time_at(bandwidth.restore_mb_s, memory_mb);
  }

  /// Rounded to microseconds, at most 10,000 days.
  [[nodiscard]] SimTime time_at(double mb_s, ResourceAmount memory_mb) const {
    constexpr double kMostSeconds = 864e6, kMicroseconds = 1e6;
    const double size_mb = state.percent * memory_mb / 100 + state.fixed_mb;
    return SimTime(std::llround(std::min(size_mb / mb_s, kMostSeconds) * kMicroseconds));
  }
};

}  // namespace cospot
