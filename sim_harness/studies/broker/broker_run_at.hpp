#pragma once

#include "sim_harness/experiments/grid/grid.hpp"
#include "sim_harness/studies/broker/broker_settings.hpp"

namespace cospot {

/// The jobs of a value of the axis `jobs` and a seed.
[[nodiscard]] DrawnJobs::Shared jobs_at(const BrokerStudySettings& settings,
                                        const BrokerInputs& inputs, std::size_t jobs,
                                        std::int64_t seed);

/// Simulates one run of the grid, or the same jobs on on-demand instances only.
[[nodiscard]] BrokerResult run_broker_at(const BrokerStudySettings& settings,
                                         const BrokerInputs& inputs, const Coordinates& at,
                                         bool on_demand_only = false,
                                         BrokerObserver* observer = nullptr);

}  // namespace cospot
