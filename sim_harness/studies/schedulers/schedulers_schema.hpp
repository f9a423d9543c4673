#pragma once

#include <cstdint>
#include <vector>

#include "sim_harness/results/column.hpp"
#include "sim_harness/results/measure.hpp"
#include "sim_harness/schedulers/scheduler_result.hpp"

namespace cospot {

/// The measures of one run of the study `schedulers`.
struct SchedulersRow {
  std::uint64_t hosts = 0;
  std::uint64_t vm_requests = 0, vm_placed = 0, vm_rejected = 0, vm_rejected_on_stale_view = 0;
  std::uint64_t vm_lost_to_conflicts = 0, vm_withdrawn = 0, vm_commits = 0, vm_conflicts = 0;
  std::uint64_t spot_requests = 0, spot_placed = 0, spot_rejected = 0;
  std::uint64_t spot_rejected_on_stale_view = 0, spot_lost_to_conflicts = 0, spot_withdrawn = 0;
  std::uint64_t spot_commits = 0, spot_conflicts = 0;
  std::uint64_t retries = 0, evictions = 0, evictions_averted = 0, evictions_needless = 0;
  double placement_delay_mean_ms = 0, placement_delay_max_ms = 0;
  Revenue vm_revenue_requested = 0, vm_revenue = 0, vm_revenue_lost_to_stale_views = 0;
  Revenue vm_revenue_lost_to_conflicts = 0, vm_revenue_lost_to_delay = 0;
  Revenue spot_revenue_requested = 0, spot_revenue = 0, spot_revenue_lost_to_stale_views = 0;
  Revenue spot_revenue_lost_to_conflicts = 0, spot_revenue_lost_to_delay = 0;
};

[[nodiscard]] SchedulersRow row_of(const SchedulerResult& result, std::size_t hosts);

[[nodiscard]] const std::vector<Measure<SchedulersRow>>& schedulers_measures();
[[nodiscard]] const Schema& schedulers_schema();

}  // namespace cospot
