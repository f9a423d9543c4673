#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim_harness/base/json/json.hpp"
#include "sim_harness/experiments/queue/progress.hpp"
#include "sim_harness/studies/broker/broker_run_at.hpp"
#include "sim_harness/studies/broker/market_bids.hpp"
#include "sim_harness/studies/broker/setting_ranking.hpp"

namespace cospot {

/// One way to run the jobs, over its seeds.
struct Candidate {
  std::string bid{}, fault_tolerance{}, market_choice{};
  double alpha = 0;
  RankedSetting figures{};
  double late_share = 0;  ///< of all jobs: mean
  double worst_late = 0;  ///< of the worst seed
  /// Of what the same jobs cost on-demand: mean and interval seed by seed.
  MeanInterval saving{};
};

/// The same jobs on on-demand instances alone, where that is cheapest.
struct OnDemandAlone {
  std::string market_choice{};
  RankedSetting figures{};
  double late_share = 0;
};

struct Recommendation {
  std::vector<Candidate> ranked{};   ///< those that are late no more often than allowed, ranked
  std::vector<Candidate> others{};   ///< the rest, ranked
  std::vector<Candidate> dropped{};  ///< after the first seeds: dearer or later beyond doubt
  OnDemandAlone on_demand{};
  std::vector<MarketBid> bids{};     ///< of the recommended setting, the market most used first
  std::vector<std::string> drawn{};  ///< what the job log does not state
  std::vector<std::string> cautions{};
  bool has_prices = true;  ///< false: every market is one of availability, so that bids say nothing
  double allowed_late = 0;
  double jobs = 0;  ///< of a run
  double days = 0;  ///< in which the jobs are submitted
  std::size_t seeds = 0;

  /// Whether the first one saves money beyond the interval of what it saves.
  [[nodiscard]] bool beats_on_demand() const;
};

struct RecommendOptions {
  /// The share of jobs that may miss their deadline beyond those that do on-demand, on the mean.
  double allowed_late = 0.01;
  std::size_t threads = 1;
  ProgressSink* progress = nullptr;
};

/// Tries every bid, alpha, mechanism and choice of a market of the file over all seeds: the same
/// prices and jobs for all settings of a seed. Settings that are dearer than the best, or later
/// than allowed, beyond their interval after the first 5 seeds are dropped. The same answer for any
/// number of threads. Errors: ConfigError that names market, jobs or billing with more than one
/// value; WorkloadError. Throws Interrupted.
[[nodiscard]] Recommendation recommend(const BrokerStudySettings& settings,
                                       const RecommendOptions& options);

/// A cost over so many days, in a month.
[[nodiscard]] MeanInterval cost_per_month(MeanInterval cost, double days);

[[nodiscard]] std::string recommendation_text(const Recommendation& recommendation);
[[nodiscard]] Json recommendation_json(const Recommendation& recommendation);

}  // namespace cospot
