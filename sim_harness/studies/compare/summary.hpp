#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim_harness/experiments/results/csv_sink.hpp"
#include "sim_harness/experiments/results/results_database.hpp"
#include "sim_harness/experiments/summary/mean_interval.hpp"
#include "sim_harness/experiments/summary/study_summary.hpp"
#include "sim_harness/provider/run/run_settings.hpp"

namespace cospot {

/// The mean and the maximum of a value over the runs that have it.
struct MeanAndMax {
  std::size_t count = 0;
  double mean = 0;
  double max = 0;
};

/// The allocator with the highest spot revenue without VM loss, averaged over the workloads.
struct BestCombination : AllocatorSpec {
  double hosts = 0;                 ///< mean over the workloads
  std::vector<std::size_t> runs{};  ///< one of each workload
  // Over the workloads. The share is a fraction of the requested spot revenue.
  std::optional<MeanInterval> spot_revenue_share{};
  std::optional<MeanInterval> spot_vcpu_hours_per_host{};  ///< for relative units, unit-hours
  std::optional<MeanInterval> gain{}, evictions{};
};

/// The best of one datacenter size.
struct BestOfSize {
  std::string size;  ///< `2%` or `500 hosts`
  std::optional<double> headroom_percent;
  std::size_t hosts = 0;  ///< only without a headroom
  /// Among the combinations that can be deployed; none if there are none or each rejects VMs on
  /// some workload.
  std::optional<BestCombination> to_set;
  /// Among those that need true lifetimes: an upper bound that cannot be deployed.
  std::optional<BestCombination> bound;
  /// The best deployable one with OTN 1 and SAF off; none if there are none or each rejects VMs.
  std::optional<BestCombination> without_cooperation;
};

/// The mean gain of all runs with one setting of SAF and OTN.
struct GainCell {
  bool saf = false;
  OfferRule otn{};
  std::optional<double> mean;
};

/// The durations of the runs; all 0 if they were not timed.
struct RunTimes {
  double wall_ms_mean = 0;
  double alloc_p50_ns_mean = 0;  ///< mean over the runs of each run's median
  double alloc_p99_ns_mean = 0;
  std::uint64_t alloc_max_ns = 0;  ///< over all runs
};

/// The summary of a sweep. Shares and gains are fractions: 0.35 is 35 %.
///
/// Gain: a run's spot revenue / that of its baseline - 1. The baseline is the run with the same
/// workload, headroom, VM policy, spot policy and evictor, OTN 1 and SAF off. VM loss: the share of
/// the requested VM revenue that was not earned. VMs larger than the host count as rejected; a run
/// is "without VM loss" if it rejects no other VM.
struct Summary {
  std::size_t runs = 0;
  std::size_t expected_runs = 0;
  std::size_t workloads = 0;
  MeanAndMax gain;                        ///< including baselines (gain 0)
  MeanAndMax gain_without_loss;           ///< of the runs without VM loss
  std::size_t without_baseline = 0;       ///< runs whose baseline is not among the results
  std::size_t with_empty_baseline = 0;    ///< runs whose baseline earned nothing
  std::vector<GainCell> gain_by_saf_otn;  ///< by SAF, then OTN, ascending
  /// The revenue lost if spots evicted in their first hour are free, as a fraction of the earned
  /// and of the requested spot revenue.
  MeanAndMax first_hour_free_loss;
  MeanAndMax first_hour_free_loss_of_requested;
  MeanAndMax vm_loss;
  std::size_t runs_without_loss = 0;
  std::uint64_t too_large_vms = 0;  ///< sum over the workloads
  std::size_t too_large_workloads = 0;
  bool any_to_set = false;  ///< some run needs no true lifetimes
  bool any_bound = false;   ///< some run needs true lifetimes
  /// headroom_of: each_policy: the number of hosts differs between VM policies.
  bool has_own_sizes = false;
  bool is_relative = false;      ///< some workload's vcpus are relative units
  std::vector<BestOfSize> best;  ///< by size, ascending
  RunTimes times;
};

/// Reads the summary from the views of a comparison's database.
[[nodiscard]] Summary summarise(ResultsDatabase& results, Timing timing = Timing::kOn);

/// The output of `cospot summary`; docs/json.md describes its keys.
[[nodiscard]] StudySummary compare_summary(const Summary& summary);

}  // namespace cospot
