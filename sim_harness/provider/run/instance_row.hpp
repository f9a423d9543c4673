#pragma once

#include <cstdint>

#include "core/model/resource_vector.hpp"
#include "core/model/revenue.hpp"
#include "core/model/sim_time.hpp"
#include "sim_harness/provider/run/level_outcome.hpp"

namespace cospot {

/// A row of the workload as a run has it by now, where instances may ask more than once.
struct InstanceRow {
  enum class Stage : std::uint8_t { kAhead, kAsking, kRunning, kWaiting, kEnded, kGone };

  ResourceVector size{};
  SimTime ends_at{0};   ///< when it departs, or would have with the host that it asked for last
  SimTime left{0};      ///< waiting: how long it will run; kNever: for ever
  SimTime asked_at{0};  ///< waiting: since when
  SimTime wait{0};      ///< waiting: until the next try
  /// What it does not earn of what it asked for, as long as it does not run, and why.
  Revenue lost = 0;
  LossCause lost_to = LossCause::kRoom;
  bool is_counted_as_lost = false;
  std::uint32_t version = 0;  ///< of its plans: those of an older one are void
  Stage stage = Stage::kAhead;
  std::uint8_t level = 0;
  bool was_placed = false;
};

}  // namespace cospot
