#pragma once

#include <cstdint>
#include <vector>

#include "sim_harness/experiments/results/column.hpp"
#include "sim_harness/experiments/results/measure.hpp"
#include "sim_harness/provider/run/level_outcome.hpp"
#include "sim_harness/provider/schedulers/scheduler_result.hpp"

namespace cospot {

/// What a run of the study `schedulers` came to, and on how many hosts.
struct SchedulersRun {
  std::vector<LevelOutcome> levels{};  ///< VMs, spots
  SchedulerResult result{};
  std::uint64_t hosts = 0;
};

[[nodiscard]] const std::vector<Measure<SchedulersRun>>& schedulers_measures();
[[nodiscard]] const Schema& schedulers_schema();

}  // namespace cospot
