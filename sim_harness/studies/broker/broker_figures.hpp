#pragma once

#include <optional>

#include "sim_harness/customer/broker/broker_simulation.hpp"
#include "sim_harness/experiments/results/measure.hpp"
#include "sim_harness/studies/broker/on_demand_alone.hpp"

namespace cospot {

/// A BrokerResult in the units of the study's columns.
struct BrokerFigures {
  std::uint64_t jobs = 0, completed = 0, deadline_violations = 0;
  double cost = 0;                            ///< USD
  std::optional<double> cost_per_useful_job;  ///< USD; none: no job met its deadline
  std::uint64_t requests = 0, revocations = 0, checkpoints = 0, restores = 0;
  double hours_paid = 0, hours_useful = 0, hours_lost = 0, hours_overhead = 0, hours_idle = 0,
         hours_on_demand = 0;
  std::uint64_t unfinished = 0;
  double on_demand_alone_cost = 0;  ///< USD, of the same jobs
  double on_demand_alone_late = 0;  ///< jobs
};

/// Args: alone: the same jobs on on-demand instances alone.
[[nodiscard]] BrokerFigures figures_of(const BrokerResult& result, const OnDemandRun& alone = {});

/// The columns of the study.
[[nodiscard]] const std::vector<Measure<BrokerFigures>>& broker_measures();

}  // namespace cospot
