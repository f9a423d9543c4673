#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "sim_harness/provider/disruptions/life_plan.hpp"
#include "sim_harness/provider/notices/reserve_settings.hpp"
#include "sim_harness/provider/schedulers/scheduler_settings.hpp"

namespace cospot {

/// Places each VM, or each spot, on a random one of the first `top` hosts of its ranking. The
/// number is drawn before the ranking is computed, and again if there are fewer hosts.
struct LooseRanking {
  std::size_t top = 1;
  std::uint64_t seed = 1;
};

/// The optional parts of a simulation beyond VMs and spots that are placed once, by one scheduler
/// with a current view of the datacenter. A part that is not given costs nothing. All of them
/// combine, also with forecasts (SimulationEngine::set_forecasts). Referenced objects outlive the
/// engine.
struct SimulationParts {
  /// The priority level of each row of the workload; the allocator must have as many levels.
  std::span<const std::uint8_t> level_of{};
  /// Retries, returning spots, resizes, failures and maintenance, for these hosts and rows.
  const LifePlan* plan = nullptr;
  /// Schedulers that decide concurrently, each on its own view.
  const SchedulerSettings* schedulers = nullptr;
  /// The tenant of each row, for assigning requests to schedulers by tenant.
  std::span<const std::uint32_t> tenant_of{};
  std::optional<LooseRanking> loose{};
  /// Capacity kept free for VMs by sending notices to spots.
  std::optional<ReserveSettings> reserve{};
  /// True if the result includes daily figures.
  bool keeps_days = false;

  /// True if events beyond the schedule can happen: instances that retry or wait for a decision,
  /// spots whose notice ends.
  [[nodiscard]] bool have_waits() const {
    return plan != nullptr || schedulers != nullptr || reserve.has_value();
  }
};

}  // namespace cospot
