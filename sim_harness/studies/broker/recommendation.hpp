#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim_harness/base/json/json.hpp"
#include "sim_harness/experiments/queue/progress.hpp"
#include "sim_harness/studies/broker/broker_run_at.hpp"
#include "sim_harness/studies/broker/setting_ranking.hpp"

namespace cospot {

/// The bid of a setting in one market at the end of the price history.
struct MarketBid {
  std::string type{}, os{}, datacenter{};
  MicroUsd bid = 0;  ///< kNoCapacityPrice: none, since bids end no instance or no capacity was seen
  MicroUsd price = 0;  ///< at the end; kNoCapacityPrice: no capacity
  MicroUsd on_demand_price = 0;
  std::uint64_t starts = 0;  ///< of spots, over all seeds
  double share = 0;          ///< of all starts
};

/// The bids of a grid point's setting in the markets where it starts spots, most starts first.
/// Reruns all seeds.
[[nodiscard]] std::vector<MarketBid> market_bids(const BrokerStudySettings& settings,
                                                 const BrokerInputs& inputs, Coordinates at);

/// A setting with its results over all seeds.
struct Candidate {
  std::string bid{}, fault_tolerance{}, market_choice{};
  double alpha = 0;
  bool on_demand_fallback = false;
  RankedSetting figures{};
  double late_share = 0;  ///< fraction of all jobs: mean
  double worst_late = 0;  ///< maximum over the seeds
};

/// The recommended setting against the same one with the other value of `on_demand_fallback`.
struct FallbackEffect {
  MeanInterval added_cost{};  ///< of the fallback: USD a run, paired by seed
  double cost_without = 0;    ///< USD, mean over these seeds
  double late_share_with = 0, late_share_without = 0;  ///< fractions of all jobs
};

/// On-demand alone, over all seeds.
struct OnDemandMeans {
  std::string market_choice{};
  MeanInterval cost{};    ///< USD a run
  double late_share = 0;  ///< fraction of all jobs
};

/// The results in the part of the price history that played no part in the choice.
struct HeldOut {
  double days = 0, choosing_days = 0;
  Candidate setting{};              ///< the recommended one; `to_best` against the best afterwards
  std::optional<Candidate> best{};  ///< none: no setting kept the limit there
  OnDemandMeans on_demand{};
};

struct Recommendation {
  /// The settings that keep the limit: the best, then the cheapest. The best is, of those that do
  /// not differ significantly from the cheapest, the one whose dearest seed costs least.
  std::vector<Candidate> ranked{};
  std::vector<Candidate> others{};   ///< the rest, ranked
  std::vector<Candidate> dropped{};  ///< after the first seeds: significantly dearer or later
  OnDemandMeans on_demand{};
  std::optional<HeldOut> held_out{};  ///< none: no part of the history, or nothing to judge
  std::vector<MarketBid> bids{};      ///< of the recommended setting, the most used market first
  /// The effect for the first setting; none: the file allows one value of `on_demand_fallback`
  /// only.
  std::optional<FallbackEffect> fallback{};
  std::vector<std::string> drawn{};  ///< what the job log does not state
  std::vector<std::string> cautions{};
  /// False: all markets are availability traces, where bids have no effect.
  bool has_prices = true;
  bool tries_fallback = false;  ///< some settings have `on_demand_fallback`
  double allowed_late = 0;
  double jobs = 0;  ///< per run
  double days = 0;  ///< in which so many jobs are submitted, at the pace of the log
  std::size_t seeds = 0;

  /// True if the first setting does.
  [[nodiscard]] bool beats_on_demand() const {
    return !ranked.empty() && ranked.front().figures.beats_on_demand();
  }
};

/// The part of the price history that is held out, %.
inline constexpr double kHeldOutPercent = 50;
inline constexpr double kMostHeldOutPercent = 90;

struct RecommendOptions {
  std::size_t threads = 1;
  ProgressSink* progress = nullptr;
  double hold_out_percent = kHeldOutPercent;
};

/// Tries every bid, alpha, fault tolerance, market choice and on-demand fallback of the file over
/// all seeds; all settings of a seed share prices and jobs. After 5 seeds it drops settings that
/// are significantly dearer than the best or later than allowed. Then does the same on the days
/// held out (split_history()), to judge the choice. The result does not depend on the number of
/// threads. Errors: ConfigError if market, jobs or billing has more than one value; WorkloadError.
/// Throws Interrupted.
[[nodiscard]] Recommendation recommend(const BrokerStudySettings& settings,
                                       const RecommendOptions& options);

/// Converts a cost over `days` days to one per month.
[[nodiscard]] MeanInterval cost_per_month(MeanInterval cost, double days);

[[nodiscard]] std::string recommendation_text(const Recommendation& recommendation);
[[nodiscard]] Json recommendation_json(const Recommendation& recommendation);

}  // namespace cospot
