#pragma once

#include <cstdint>
#include <vector>

#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/provider/run/timeline_day.hpp"

namespace cospot {

/// What one run earned and cost. Counts are over the whole workload, early requests included;
/// revenue counts inside the window only.
struct RunResult {
  std::uint64_t hosts = 0;
  std::uint64_t vm_requests = 0;
  std::uint64_t vm_rejected = 0;
  std::uint64_t vm_too_large = 0;  ///< of the rejected: larger than an empty host
  std::uint64_t spot_requests = 0;
  std::uint64_t spot_admitted = 0;
  std::uint64_t evictions = 0;
  std::uint64_t promises = 0;         ///< spots that were placed with a promised lifetime
  std::uint64_t promises_broken = 0;  ///< of them: evicted before it was over
  Revenue vm_revenue_requested = 0;
  Revenue vm_revenue = 0;
  Revenue spot_revenue_requested = 0;
  Revenue spot_revenue = 0;
  /// Spot revenue if a spot that is evicted within an hour of its placement is free.
  Revenue spot_revenue_first_hour_free = 0;
  /// Time per VM allocation (decide, evict, place) in nanoseconds.
  std::uint64_t alloc_p50_ns = 0;
  std::uint64_t alloc_p99_ns = 0;
  std::uint64_t alloc_max_ns = 0;
  double wall_ms = 0;
  std::vector<TimelineDay> days{};  ///< of the window, where the run keeps them
};

}  // namespace cospot
