#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/model/host_table.hpp"
#include "core/model/request.hpp"
#include "core/model/resource_vector.hpp"
#include "core/model/sim_time.hpp"
#include "sim_harness/base/text/decimal.hpp"

namespace cospot {

/// How somebody asks again who found no host: after `first_wait`, then after `factor` times the
/// wait before, an exact product rounded down to microseconds, each at most `longest_wait`, as long
/// as a try comes no later than `patience` after the first answer.
struct Backoff {
  SimTime patience{0};  ///< 0: nobody asks again
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

/// A time in which a host runs nothing. From `notice` on it takes nobody new.
struct Outage {
  HostIndex host = kNoHost;
  SimTime notice{0};  ///< at or before `start`
  SimTime start{0};
  SimTime end{0};
  OutageKind kind = OutageKind::kFailure;

  friend bool operator==(const Outage&, const Outage&) = default;
};

/// A VM asks for another size while it runs.
struct Resize {
  InstanceIndex instance = 0;
  SimTime time{0};
  ResourceVector size{};

  friend bool operator==(const Resize&, const Resize&) = default;
};

/// What happens to the requests and hosts of one run beyond the workload. Semantics:
/// docs/semantics.md, "Life of requests".
struct LifePlan {
  Backoff retries{};
  Backoff returning_spots{};
  bool ends_stay = false;  ///< who waits ends when the workload says; else it ends that much later
  std::vector<Outage> outages{};  ///< at equal times in this order
  std::vector<Resize> resizes{};  ///< by time, then in the order of their file
};

}  // namespace cospot
