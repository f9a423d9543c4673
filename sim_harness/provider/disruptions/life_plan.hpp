#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/model/host_table.hpp"
#include "core/model/request.hpp"
#include "core/model/resource_vector.hpp"
#include "core/model/sim_time.hpp"
#include "sim_harness/base/text/decimal.hpp"
#include "sim_harness/provider/disruptions/eviction_rule.hpp"

namespace cospot {

/// Retries of a rejected request: after `first_wait`, then each after `factor` times the previous
/// wait (an exact product, rounded down to microseconds), at most `longest_wait`. The last retry
/// comes no later than `patience` after the first answer.
struct Backoff {
  SimTime patience{0};  ///< 0: no retries
  SimTime first_wait = std::chrono::seconds(30);
  Decimal factor = 2;  ///< at least 1
  SimTime longest_wait = std::chrono::hours(1);
  bool vms = true;
  bool spots = true;

  [[nodiscard]] SimTime wait_after(SimTime wait) const {
    return std::min(factor.times_rounded_down(wait), longest_wait);
  }

  friend bool operator==(const Backoff&, const Backoff&) = default;
};

enum class OutageKind : std::uint8_t { kFailure, kMaintenance };

/// A time in which a host runs nothing. It takes no new instances from `notice` on.
struct Outage {
  HostIndex host = kNoHost;
  SimTime notice{0};  ///< at or before `start`
  SimTime start{0};
  SimTime end{0};
  OutageKind kind = OutageKind::kFailure;

  friend bool operator==(const Outage&, const Outage&) = default;
};

/// A running VM requests another size.
struct Resize {
  InstanceIndex instance = 0;
  SimTime time{0};
  ResourceVector size{};

  friend bool operator==(const Resize&, const Resize&) = default;
};

/// The disruptions of one run: what happens to its requests and hosts beyond the workload.
/// Semantics: docs/semantics.md, "Life of requests".
struct LifePlan {
  Backoff retries{};
  Backoff returning_spots{};
  /// A late instance keeps its end from the workload; else it keeps its duration.
  bool ends_stay = false;
  std::optional<EvictionRule> on_eviction{};  ///< if set, the work of spots is counted
  std::vector<Outage> outages{};              ///< ties: in this order
  std::vector<Resize> resizes{};              ///< by time; ties: in the order of the file
};

}  // namespace cospot
