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

/// The state of an instance.
enum class Phase : std::uint8_t { kBoot, kRestore, kRun, kSave, kIdle, kSuspended, kEnded };

/// Leases by their remaining seconds, or tasks by their run time.
using Ordered = std::set<std::pair<Seconds, std::int32_t>>;

/// A part of the current, unfinished hour.
struct Slice {
  std::int32_t task = kNoTask;  ///< whose work it is
  Phase phase = Phase::kIdle;
  bool saved = false;  ///< a snapshot holds the work
  Seconds seconds = 0;
};

/// An instance leased by the broker: a fulfilled request.
struct Lease {
  std::uint32_t market = kNoMarket;
  bool on_demand = false;
  MicroUsd bid = 0;
  Seconds begin = 0;             ///< start of the instance; reset when it resumes
  Seconds hour_end = 0;          ///< end of the current hour
  Seconds out_of_bid = kNoTime;  ///< when it will be revoked
  MicroUsd hour_amount = 0;      ///< price of the current hour

  Phase phase = Phase::kBoot;
  Seconds phase_begin = 0;
  Seconds phase_end = kNoTime;
  Seconds save_at = kNoTime;

  /// The running task, or the one that starts once the instance is ready.
  std::int32_t task = kNoTask;
  std::vector<std::int32_t> queue;  ///< tasks to run next
  Seconds expected_free = 0;        ///< when all of these are expected to be done
  Seconds queued = 0;               ///< expected run time of the queue
  Ordered* index = nullptr;         ///< the index in which decisions find it
  Ordered::iterator in_index;
  bool was_changed = false;  ///< it may have more free time than at the last decision
  std::vector<Slice> slices;
  std::uint32_t version = 0;     ///< of its next event in the event queue
  Seconds next_event = kNoTime;  ///< time of that event

  [[nodiscard]] bool is_alive() const {
    return phase != Phase::kSuspended && phase != Phase::kEnded;
  }
};

}  // namespace cospot
