#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim_harness/advise/forecast_record.hpp"
#include "sim_harness/advise/tune.hpp"
#include "sim_harness/advise/vm_demand.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/experiments/queue/progress.hpp"
#include "sim_harness/experiments/results/results_database.hpp"
#include "sim_harness/experiments/summary/mean_interval.hpp"
#include "sim_harness/provider/policies/policy_loader.hpp"
#include "sim_harness/studies/provider/provider_settings.hpp"

namespace cospot {

inline constexpr double kDefaultTuneHeadroomPercent = 2;
inline constexpr std::size_t kDefaultTuneParts = 7;
inline constexpr std::size_t kMostTuneParts = 1000;

/// Policies and offers to choose from, by name.
struct TuneCandidates {
  TuneCandidates();  ///< the default candidates

  std::vector<std::string> vm;
  std::vector<std::string> spot;
  std::vector<std::string> evictor;
  std::vector<std::string> otn;
  std::vector<std::string> promises{};  ///< targets with which spot policies are tried too
  /// Files of lifetime models, at most one of each kind. Other evictors use the built-in model.
  std::vector<std::string> models{};
  std::string dashes = "--";  ///< before the names of these in errors
};

/// Adds candidates to settings. Errors: ConfigError for an unknown or duplicate candidate.
void add_candidates(const TuneCandidates& candidates, PolicyLoader& loader, TuneSettings& settings);

/// Errors: ConfigError for duplicates; `option` is the name to report.
void require_distinct(const std::vector<std::string>& values, std::string_view option);

/// The datacenter to tune: `hosts` hosts, a headroom, or all that `host` declares. Errors:
/// ConfigError.
[[nodiscard]] TunedDatacenter tuned_datacenter(HostMix host, std::optional<std::size_t> hosts,
                                               std::optional<double> headroom_percent,
                                               const std::string& dashes);

/// Takes what is to be said before the first run.
using WarningSink = std::function<void(const std::vector<std::string>&)>;

/// The input of a tuning, and how it is judged.
struct TuneRequest {
  std::vector<WorkloadSpec> workloads;
  TunedDatacenter datacenter;
  TuneSettings settings;
  std::size_t parts = kDefaultTuneParts;  ///< of a single workload
  std::optional<std::size_t> folds{};
  double vm_worth = 1;  ///< price of a VM's vCPU-hour relative to a spot's, without prices
  std::optional<PriceList> prices{};
};

/// The verdict of the validation samples on the searches' recommendations.
enum class TuneAdvice {
  kCooperate,     ///< keeps the limit of VM loss on each, and gains: to act costs nothing
  kKeepForLimit,  ///< exceeds the limit of VM loss: do not cooperate
  kKeepForGain,   ///< gains nothing over no cooperation
  kNotCompared,   ///< no setting without cooperation was tried
};

/// The JSON value: "cooperate", "keep: over the limit", ...
[[nodiscard]] std::string_view advice_name(TuneAdvice advice);

/// The choice of each search that a verdict is about.
enum class JudgedChoice {
  kBest,     ///< TuneOutcome::recommendation
  kForNova,  ///< TuneOutcome::recommendation_for_nova: no evictor that needs lifetimes, no promise
};

/// An out-of-sample verdict: every figure is from samples that did not choose the setting.
struct TuneVerdict {
  TuneAdvice advice = TuneAdvice::kNotCompared;
  JudgedChoice choice = JudgedChoice::kBest;
  /// Net revenue over no cooperation, a fraction of the requested spot revenue.
  MeanInterval gain{};
  std::size_t searches = 0;            ///< one per fold, or one in all
  std::size_t chose_it = 0;            ///< those that chose the recommendation
  std::size_t validated = 0;           ///< samples
  std::size_t over_limit = 0;          ///< those on which the recommendation exceeds the limit
  std::size_t over_limit_without = 0;  ///< the same without cooperation
  double most_lost = 0;                ///< maximum VM revenue lost in a sample
  std::size_t over_limit_of_best = 0;  ///< if the choice is not the best: the best's

  [[nodiscard]] bool cooperates() const {
    return advice == TuneAdvice::kCooperate || advice == TuneAdvice::kNotCompared;
  }
};

/// Judges the recommendations of `judged`: the searches of all folds, or the one with held-out
/// samples. Pairs by sample: the net revenue of a search's recommendation minus that of its best
/// setting without cooperation. If the best of all settings exceeds the limit or gains nothing, the
/// best that Nova can express may still pass.
[[nodiscard]] TuneVerdict judge(const TuneRuns& runs, const TuneOutcome& outcome,
                                std::span<const TuneOutcome> judged);

/// The setting of a search that a verdict of this choice is about.
[[nodiscard]] std::optional<std::size_t> judged_setting(JudgedChoice choice,
                                                        const TuneOutcome& outcome);

/// The setting to deploy by a verdict: the search's recommendation, or the best without
/// cooperation.
[[nodiscard]] std::size_t advised(const TuneVerdict& verdict, const TuneOutcome& outcome);
/// The same among those that nova.conf can express.
[[nodiscard]] std::optional<std::size_t> advised_for_nova(const TuneVerdict& verdict,
                                                          const TuneOutcome& outcome);

/// A search with more hosts, for a datacenter in which cooperation does not pay.
struct MoreHosts {
  double percent = 0;     ///< in addition to the datacenter's hosts
  std::size_t hosts = 0;  ///< of the whole workload, or of the first sample
  std::size_t added = 0;  ///< those that the datacenter lacks
  std::string setting;    ///< the setting found
  TuneVerdict verdict{};
};

/// The money on the samples that judge: of each what the setting earned there that its search
/// advises, or the best without cooperation.
struct TuneMoney {
  std::string currency{};
  Income recommended{};
  std::optional<Income> without_cooperation{};
  /// The verdict's gain: what its setting earns more than no cooperation, net of lost VMs.
  std::optional<MeanInterval> gain_per_month{};
  /// The same gain in the next part of one history, per day.
  std::optional<ForecastRecord> next_gain{};
};

/// The results of a tuning, for its texts. Referenced objects outlive it.
struct TuneFindings {
  const TuneRequest& request;
  std::span<const TuneSample> samples;
  const TuneRuns& runs;
  const TuneOutcome& outcome;
  /// One search for each use of the samples; empty: `outcome` has held-out samples.
  std::span<const TuneOutcome> folds;
  const std::optional<WholeWorkload>& whole;  ///< of make_samples
  TuneVerdict verdict{};
  std::span<const MoreHosts> tried{};  ///< if the verdict is to keep the current setting
  std::optional<TuneMoney> money{};    ///< if there are prices

  /// The searches judged by samples they did not use.
  [[nodiscard]] std::span<const TuneOutcome> judged() const {
    return folds.empty() ? std::span(&outcome, 1) : folds;
  }

  /// Requires a single workload.
  [[nodiscard]] VmDemand demand() const { return vm_demand(samples.back().workload, *whole); }
};

/// One search over all samples, those of the cross-validation, and the verdict.
class Tuning {
 public:
  /// Runs the tuning. Calls `warn` once, before the first run.
  ///
  /// Errors: ConfigError, WorkloadError, PolicyError.
  Tuning(TuneRequest request, ProgressSink& progress, const WarningSink& warn);
  Tuning(const Tuning&) = delete;
  Tuning& operator=(const Tuning&) = delete;

  [[nodiscard]] TuneFindings findings() const;

 private:
  TuneRequest request_;
  std::vector<VcpuHourPrices> prices_;  // by workload, per unit of its vcpus; empty: none
  TuneSamples made_;
  TuneRuns runs_;
  TuneOutcome outcome_;
  std::vector<TuneOutcome> folds_;
  TuneVerdict verdict_;
  std::vector<MoreHosts> tried_;
  std::optional<TuneMoney> money_;
};

/// The recommendation, its revenue and loss on the held-out samples with confidence, the Pareto
/// front and the money if there are prices, as text and tables.
[[nodiscard]] std::string tune_text(const TuneFindings& findings);

/// The first lines of the output: the recommendation and the evidence for it. `tried`: searches
/// with more hosts; the last may be the first one that pays.
[[nodiscard]] std::string verdict_text(const TuneVerdict& verdict, double max_vm_loss,
                                       std::span<const MoreHosts> tried);

/// The revenue and loss of the recommendations on samples that did not choose them, and the same
/// for comparison: the best setting without cooperation, the same policies without it, the upper
/// bound, and the best that Nova can express. With folds, a table of these comes first.
[[nodiscard]] std::string validation_text(const TuneFindings& findings);

/// A candidate and its results on the training and held-out samples of `search`.
[[nodiscard]] Json setting_json(const TuneFindings& findings, std::size_t candidate,
                                const TuneOutcome& search);

/// The content of tune_text as JSON; docs/json.md describes its keys.
[[nodiscard]] Json tune_json(const TuneFindings& findings);

/// The hosts and the prices in a study file: as given on the command line.
struct StudyFileWords {
  std::string host{};                 ///< a file of hosts, or totals
  std::vector<std::string> prices{};  ///< values of `--price`
};

/// A study file for `cospot compare` around the result of a tuning: its policies and those of the
/// best setting without cooperation, SAF on and off, its offer and the next smaller and larger
/// offers tried, on the same hosts. A single workload is not split.
///
/// Args: folder: the file's folder; paths are relative to it.
[[nodiscard]] std::string around_yaml(const TuneFindings& findings, const StudyFileWords& words,
                                      const std::filesystem::path& folder);

/// A tuning as an unfinished sweep: samples x their host counts x candidates. It contains the
/// completed runs, so that all tools that read results can read them.
struct TuneRecord {
  ProviderSettings sweep;
  std::vector<InputRecord> workloads;
  std::vector<Row> rows;    ///< in grid order, without times
  ExperimentTables tables;  ///< that describe it in a database
};
[[nodiscard]] TuneRecord tune_record(const TuneFindings& findings);

}  // namespace cospot
