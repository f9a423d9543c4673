#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "sim_harness/customer/broker/broker_simulation.hpp"
#include "sim_harness/experiments/results/measure.hpp"
#include "sim_harness/studies/broker/broker_run_at.hpp"

namespace cospot {

/// A run of the same jobs on on-demand instances alone.
struct OnDemandRun {
  double cost = 0;  ///< USD
  double late = 0;  ///< jobs that missed their deadline

  friend bool operator==(const OnDemandRun&, const OnDemandRun&) = default;
};

/// The alternative of a customer without spots: on-demand alone, by the market choice `preferred`
/// or `cheapest`, whichever costs less per useful job over all seeds.
struct OnDemandAlone {
  std::string market_choice{};
  std::vector<OnDemandRun> runs{};  ///< by the seed's index on its axis
};

/// On-demand alone for the markets, jobs and billing of each run of a study: what savings and
/// lateness are measured against. Computed at first use, once. Thread-safe.
class OnDemandBaseline {
 public:
  /// Args: settings, inputs: outlive it.
  OnDemandBaseline(const BrokerStudySettings& settings, const BrokerInputs& inputs)
      : settings_(settings), inputs_(inputs) {}

  /// The result at a point of the grid, with or without its seed. Throws Interrupted.
  [[nodiscard]] const OnDemandAlone& of(const Coordinates& at, std::size_t threads = 1);

 private:
  const BrokerStudySettings& settings_;
  const BrokerInputs& inputs_;
  std::mutex mutex_;
  std::map<Coordinates, OnDemandAlone> known_;  ///< by the place on the three axes
};

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
