#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "sim_harness/provider/disruptions/life_plan.hpp"
#include "sim_harness/provider/notices/reserve_settings.hpp"
#include "sim_harness/provider/schedulers/scheduler_settings.hpp"

namespace cospot {

/// Each VM's host, or spot's, is a random one of the first `top` of its ranking. The number is
/// drawn before the hosts are looked for, once more if there are fewer.
struct LooseRanking {
  std::size_t top = 1;
  std::uint64_t seed = 1;
};

/// What a simulation has beyond VMs and spots that are placed once, by one scheduler that sees the
/// datacenter as it is. Each part is absent unless it is given, and costs nothing then; all of them
/// combine, and with forecasts (SimulationEngine::set_forecasts). What is referred to outlives the
/// engine.
struct SimulationParts {
  /// The priority level of each row of the workload, for an allocator of that many levels.
  std::span<const std::uint8_t> level_of{};
  /// Requests that ask again, spots that return, resizes, failures and maintenance; of these hosts
  /// and rows.
  const LifePlan* plan = nullptr;
  /// Schedulers that decide at the same time, each on a view of its own.
  const SchedulerSettings* schedulers = nullptr;
  /// The tenant of each row, where requests are assigned to schedulers by it.
  std::span<const std::uint32_t> tenant_of{};
  std::optional<LooseRanking> loose{};
  /// Capacity that is kept free for VMs, by notices to spots.
  std::optional<ReserveSettings> reserve{};
  /// Whether the result has its days.
  bool keeps_days = false;

  /// Whether anything happens that the schedule does not say: instances that ask more than once or
  /// wait for a decision, spots whose notice ends.
  [[nodiscard]] bool have_waits() const {
    return plan != nullptr || schedulers != nullptr || reserve.has_value();
  }
};

}  // namespace cospot
