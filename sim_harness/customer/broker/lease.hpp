#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "sim_harness/customer/broker/market_choice.hpp"
#include "sim_harness/data/markets/price_series.hpp"

namespace cospot {

/// No task.
inline constexpr std::int32_t kNoTask = -1;

/// What an instance is doing.
enum class Phase : std::uint8_t { kBoot, kRestore, kRun, kSave, kIdle, kSuspended, kEnded };

/// Leases or tasks by how many seconds they have left or take.
using Ordered = std::set<std::pair<Seconds, std::int32_t>>;

/// Seconds of an hour that is not over yet.
struct Slice {
  std::int32_t task = kNoTask;  ///< whose work it is
  Phase phase = Phase::kIdle;
  bool saved = false;  ///< the work is in a snapshot
  Seconds seconds = 0;
};

/// One instance of the broker: a request that was fulfilled.
struct Lease {
  std::uint32_t market = kNoMarket;
  bool on_demand = false;
  MicroUsd bid = 0;
  Seconds begin = 0;             ///< of the instance; anew when it is resumed
  Seconds hour_end = 0;          ///< of the hour that is running
  Seconds out_of_bid = kNoTime;  ///< when it is revoked
  MicroUsd hour_amount = 0;      ///< what the running hour costs

  Phase phase = Phase::kBoot;
  Seconds phase_begin = 0;
  Seconds phase_end = kNoTime;
  Seconds save_at = kNoTime;

  std::int32_t task = kNoTask;      ///< what runs, or will once it is there
  std::vector<std::int32_t> queue;  ///< what runs next
  Seconds expected_free = 0;        ///< when all of these are expected to be done
  Seconds queued = 0;               ///< what the queue is expected to take
  Ordered* index = nullptr;         ///< where decisions find it
  Ordered::iterator in_index;
  bool was_changed = false;  ///< there may be more room than at the last decision
  std::vector<Slice> slices;
  std::uint32_t version = 0;     ///< of the next event in the queue of events
  Seconds next_event = kNoTime;  ///< when it comes

  [[nodiscard]] bool is_alive() const {
    return phase != Phase::kSuspended && phase != Phase::kEnded;
  }
};

}  // namespace cospot
