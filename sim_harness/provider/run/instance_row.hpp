#pragma once

#include <cstdint>

#include "core/model/resource_vector.hpp"
#include "core/model/revenue.hpp"
#include "core/model/sim_time.hpp"
#include "sim_harness/provider/run/level_outcome.hpp"

namespace cospot {

/// The current state of a workload row, in runs where instances may be requested more than once.
struct InstanceRow {
  enum class Stage : std::uint8_t { kAhead, kAsking, kRunning, kWaiting, kEnded, kGone };

  ResourceVector size{};
  SimTime ends_at{0};   ///< when it departs, or would have departed on the host last requested
  SimTime left{0};      ///< while waiting: remaining run time; kNever: unlimited
  SimTime asked_at{0};  ///< while waiting: since when
  SimTime wait{0};      ///< while waiting: until the next retry
  /// Revenue lost so far because it does not run, and the cause.
  Revenue lost = 0;
  LossCause lost_to = LossCause::kRoom;
  bool is_counted_as_lost = false;
  std::uint32_t version = 0;  ///< of its planned events: older versions are void
  Stage stage = Stage::kAhead;
  std::uint8_t level = 0;
  bool was_placed = false;
};

}  // namespace cospot
