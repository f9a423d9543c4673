#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <vector>

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

}  // namespace cospot
