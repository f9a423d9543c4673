#pragma once

#include <cstdint>
#include <vector>

#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/provider/run/timeline_day.hpp"

namespace cospot {

/// Revenue and counts of one run. Counts cover the whole workload, including requests before the
/// window; revenue counts inside the window only.
struct RunResult {
  std::uint64_t hosts = 0;
  std::uint64_t vm_requests = 0;
  std::uint64_t vm_rejected = 0;
  std::uint64_t vm_too_large = 0;  ///< rejected VMs that exceed an empty host
  std::uint64_t spot_requests = 0;
  std::uint64_t spot_admitted = 0;
  std::uint64_t evictions = 0;        ///< of spots
  std::uint64_t promises = 0;         ///< spots placed with a promised lifetime
  std::uint64_t promises_broken = 0;  ///< promised spots that were evicted too early
  Revenue vm_revenue_requested = 0;
  Revenue vm_revenue = 0;
  Revenue spot_revenue_requested = 0;
  Revenue spot_revenue = 0;
  /// Spot revenue if a spot evicted within an hour of its placement is not billed.
  Revenue spot_revenue_first_hour_free = 0;
  /// Time per VM allocation (decide, evict, place) in nanoseconds.
  std::uint64_t alloc_p50_ns = 0;
  std::uint64_t alloc_p99_ns = 0;
  std::uint64_t alloc_max_ns = 0;
  std::uint64_t spot_alloc_p50_ns = 0;  ///< the same per spot allocation
  std::uint64_t spot_alloc_p99_ns = 0;
  std::uint64_t spot_alloc_max_ns = 0;
  double wall_ms = 0;
  std::vector<TimelineDay> days{};  ///< of the window, if the run keeps them
};

}  // namespace cospot
