#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/handshake/offer_rule.hpp"
#include "sim_harness/experiments/results/csv_sink.hpp"
#include "sim_harness/experiments/results/results_database.hpp"
#include "sim_harness/experiments/summary/mean_interval.hpp"
#include "sim_harness/experiments/summary/study_summary.hpp"

namespace cospot {

/// The mean and the greatest of some numbers, one of each run that has one.
struct MeanAndMax {
  std::size_t count = 0;
  double mean = 0;
  double max = 0;
};

/// What earns most from spots without VM loss, averaged over the workloads.
struct BestCombination {
  std::string vm, spot, evictor;
  bool saf = false;
  OfferRule otn{};
  double hosts = 0;                 ///< mean over the workloads
  std::vector<std::size_t> runs{};  ///< one of each workload
  // Over the workloads.
  std::optional<MeanInterval> spot_revenue_share{};        ///< of what spots requested, 1 = all
  std::optional<MeanInterval> spot_vcpu_hours_per_host{};  ///< of a relative unit, unit-hours
  std::optional<MeanInterval> gain{}, evictions{};
};

/// The best of one datacenter size.
struct BestOfSize {
  std::string size;  ///< `2%` or `500 hosts`
  std::optional<double> headroom_percent;
  std::size_t hosts = 0;  ///< only without a headroom
  /// Of the combinations that a datacenter can be set to; none: each rejects VMs on some workload,
  /// or there is none.
  std::optional<BestCombination> to_set;
  /// Of those with a policy that needs true lifetimes: an upper bound, which cannot be set.
  std::optional<BestCombination> bound;
  /// Of those to set, the best with OTN 1 and SAF off; none: each rejects VMs, or there is none.
  std::optional<BestCombination> without_cooperation;
};

/// The mean gain of all runs with one SAF and one OTN.
struct GainCell {
  bool saf = false;
  OfferRule otn{};
  std::optional<double> mean;
};

/// How long the runs took; all 0 when they were not timed.
struct RunTimes {
  double wall_ms_mean = 0;
  double alloc_p50_ns_mean = 0;  ///< the mean over the runs of each run's median
  double alloc_p99_ns_mean = 0;
  std::uint64_t alloc_max_ns = 0;  ///< over all runs
};

/// What the results of a sweep say. Shares and gains are fractions: 0.35 is 35 %.
///
/// Gain: a run's spot revenue / that of its baseline - 1. The baseline is the run with the same
/// workload, headroom, VM, spot and evictor, OTN 1 and SAF off. VM loss: the share of the
/// requested VM revenue that was not earned. VMs larger than the host count as rejected; a run
/// is "without VM loss" when it rejects no other VM.
struct Summary {
  std::size_t runs = 0;
  std::size_t expected_runs = 0;
  std::size_t workloads = 0;
  MeanAndMax gain;                        ///< baselines (gain 0) included
  MeanAndMax gain_without_loss;           ///< of the runs without VM loss
  std::size_t without_baseline = 0;       ///< runs whose baseline is not among the results
  std::size_t with_empty_baseline = 0;    ///< runs whose baseline earned nothing
  std::vector<GainCell> gain_by_saf_otn;  ///< by SAF, then OTN, ascending
  /// By how much spot revenue is lower when spots evicted in their first hour are free: of what
  /// spots earned, and of what they requested.
  MeanAndMax first_hour_free_loss;
  MeanAndMax first_hour_free_loss_of_requested;
  MeanAndMax vm_loss;
  std::size_t runs_without_loss = 0;
  std::uint64_t too_large_vms = 0;  ///< summed over the workloads
  std::size_t too_large_workloads = 0;
  bool any_to_set = false;       ///< a run has no policy that needs true lifetimes
  bool any_bound = false;        ///< a run has one
  bool has_own_sizes = false;    ///< headroom_of: each_policy: hosts differ between VM policies
  bool is_relative = false;      ///< some workload counts in units that are no vCPUs
  std::vector<BestOfSize> best;  ///< by size, ascending
  RunTimes times;
};

/// Reads it from the views of a comparison's database.
[[nodiscard]] Summary summarise(ResultsDatabase& results, Timing timing = Timing::kOn);

/// What `cospot summary` says of it; docs/json.md describes its keys.
[[nodiscard]] StudySummary compare_summary(const Summary& summary);

}  // namespace cospot
