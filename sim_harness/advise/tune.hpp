#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim_harness/advise/part_accounts.hpp"
#include "sim_harness/data/prices/price_list.hpp"
#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/experiments/grid/grid.hpp"
#include "sim_harness/experiments/money/income.hpp"
#include "sim_harness/experiments/queue/progress.hpp"
#include "sim_harness/provider/forecasts/true_lifetimes.hpp"
#include "sim_harness/provider/loop/run_group.hpp"
#include "sim_harness/provider/run/event_schedule.hpp"
#include "sim_harness/provider/run/run_result.hpp"
#include "sim_harness/provider/run/run_settings.hpp"
#include "sim_harness/studies/provider/given_parts.hpp"
#include "sim_harness/studies/provider/provider_settings.hpp"

namespace cospot {

/// The datacenter to tune: a number of hosts, or a headroom beyond the VMs' needs.
struct TunedDatacenter {
  HostMix host;
  Headroom size;
};

/// A workload with its datacenter, used to choose settings or to judge the choice.
struct TuneSample {
  WorkloadSpec spec;
  /// The last part of a history has the rows and the schedule of all parts, with a cut at the end
  /// of each; the others have none. Unless every part is run from the beginning: then each has its
  /// own.
  Workload workload;
  EventSchedule schedule{};
  std::size_t hosts = 0;
  /// It contains the previous sample; its own results are those after that sample's window.
  bool goes_on = false;
  double vm_worth = 1;                  ///< price of a VM's vCPU-hour relative to a spot's
  std::vector<EvictorSpec> evictors{};  ///< those of the candidates, prepared for this workload
};

/// The datacenter of a single workload, shared by all its parts.
struct WholeWorkload {
  std::size_t hosts = 0;  ///< as requested
  /// By VM policy: the fewest hosts that hold all its VMs; empty if none do.
  std::vector<std::size_t> needed{};
  SimTime part{0};  ///< duration of a part
};

struct TuneSamples {
  std::vector<TuneSample> samples;
  std::optional<WholeWorkload> whole;   ///< if a single workload was split
  std::vector<std::string> warnings{};  ///< of the workloads
};

[[nodiscard]] double days_of(SimTime time);

/// The price of a VM's vCPU-hour relative to a spot's; 1 if spots are free.
[[nodiscard]] double vm_worth_of(const VcpuHourPrices& prices);

/// One workload with windows that grow by equal parts, without its rows. The last window is the
/// whole. The revenue in a part is the revenue up to its end minus that up to its beginning,
/// because no decision depends on later events.
[[nodiscard]] std::vector<Workload> lengthening_windows(const Workload& workload,
                                                        std::size_t parts);

/// The samples that choose a setting, and those that judge it. Both ascending.
struct SampleUse {
  std::vector<std::size_t> selection{};
  std::vector<std::size_t> held_out{};
};

/// All samples choose.
[[nodiscard]] SampleUse use_all(std::size_t count);

/// A random half (rounded down) of `count` samples judges. Errors: ConfigError if there are fewer
/// than two.
[[nodiscard]] SampleUse draw_halves(std::size_t count, std::uint64_t seed);

/// Assigns `count` samples to `folds` folds at random, with sizes that differ by at most one; in
/// the samples' order if each has its own fold. Each fold judges what the others choose. Errors:
/// ConfigError if a fold would be empty, or there is only one.
[[nodiscard]] std::vector<SampleUse> draw_folds(std::size_t count, std::size_t folds,
                                                std::uint64_t seed);

/// The parts of one history on which settings are chosen before the first judged part, at least.
inline constexpr std::size_t kLeastPast = 2;
/// The same for a number of parts: about two sevenths, so that any number of parts judges the same
/// time.
[[nodiscard]] std::size_t past_parts(std::size_t parts);
/// The parts of one history, forward in time: each after the first `past_parts` judges what all
/// before it choose.
[[nodiscard]] std::vector<SampleUse> forward_in_time(std::size_t parts);

struct TuneSettings {
  std::vector<ChainSpec> vm{};
  std::vector<ChainSpec> spot{};
  std::vector<EvictorSpec> evictors{};
  std::vector<bool> saf{false, true};
  std::vector<OfferRule> otn{};
  /// Parts of every run; null: only VMs and spots, with one scheduler.
  std::shared_ptr<const GivenParts> with{};
  double max_vm_loss = 0;               ///< a fraction, for every sample
  std::optional<std::size_t> budget{};  ///< maximum number of runs
  std::uint64_t seed = 1;               ///< of the random choice when the budget is limited
  std::size_t threads = 1;
};

/// Loads the workloads, splits the window of a single one into parts, and sizes each sample's
/// datacenter. All VM policies get the same hosts: a headroom counts from the fewest hosts that any
/// of them needs. Parts use the datacenter of the whole workload.
///
/// Errors: WorkloadError; ConfigError if a sample has no VM or no spot, a VM fits no host, or
/// requests have requirements that no host can satisfy.
[[nodiscard]] TuneSamples make_samples(std::span<const WorkloadSpec> workloads,
                                       const TunedDatacenter& datacenter,
                                       const TuneSettings& settings, std::size_t parts);
/// The same of one workload that is loaded.
[[nodiscard]] TuneSamples make_samples_of_parts(const WorkloadSpec& spec, Workload workload,
                                                const TunedDatacenter& datacenter,
                                                const TuneSettings& settings, std::size_t parts);

/// The warnings of the workloads, and those about samples too small for reliable results,
/// each with the size that would suffice.
[[nodiscard]] std::vector<std::string> sample_warnings(const TuneSamples& samples);

/// The candidates of a tuning, numbered like the runs of one workload and size in a sweep.
class CandidateSpace {
 public:
  explicit CandidateSpace(const TuneSettings& settings);

  [[nodiscard]] std::size_t size() const { return candidates_.size(); }
  [[nodiscard]] const AllocatorSpec& at(std::size_t candidate) const {
    return candidates_[candidate];
  }
  /// With its evictor prepared for the workload of a sample.
  [[nodiscard]] AllocatorSpec prepared(std::size_t candidate, const TuneSample& sample) const;
  /// Its positions in the choices of TuneSettings: VM policy, spot policy, evictor, SAF, OTN.
  [[nodiscard]] Coordinates positions(std::size_t candidate) const {
    return grid_.coordinates(candidate);
  }
  /// The candidate with the same policies but without cooperation (OTN 1, SAF off), if any.
  [[nodiscard]] std::optional<std::size_t> baseline_of(std::size_t candidate) const;
  /// Tells whether one of its policies needs true lifetimes: an upper bound that cannot be
  /// deployed.
  [[nodiscard]] bool is_bound(std::size_t candidate) const {
    return needs_true_lifetimes(candidates_[candidate]);
  }
  /// Tells whether nova.conf can express it: an evictor that needs no lifetimes, and spots without
  /// a promise.
  [[nodiscard]] bool is_for_nova(std::size_t candidate) const;

 private:
  Grid grid_;
  std::vector<AllocatorSpec> candidates_;
  std::optional<std::pair<std::size_t, std::size_t>> without_cooperation_;  // SAF off and OTN 1
};

/// About as many runs as all searches of one history in parts take.
[[nodiscard]] std::size_t most_runs(const CandidateSpace& space, std::size_t parts);

/// The cost and revenue of a setting, as fractions of the requested revenue.
struct CostAndRevenue {
  double vm_loss = 0;
  double spot_share = 0;
};

/// Tells whether `a` is at least as good in both and better in one.
[[nodiscard]] bool dominates(const CostAndRevenue& a, const CostAndRevenue& b);

/// The Pareto layer of every point: 0 if no point dominates it, 1 if only points of layer 0 do, and
/// so on.
[[nodiscard]] std::vector<std::size_t> pareto_layers(std::span<const CostAndRevenue> points);

/// The `count` best points, by layer, then by spot revenue; ties go to the lower position.
/// Ascending.
[[nodiscard]] std::vector<std::size_t> best_by_layer(std::span<const CostAndRevenue> points,
                                                     std::size_t count);

/// Complete layers, starting with the first, while they fit into `most`. If a layer does not fit,
/// an even sample of it by VM loss. Positions, ascending.
[[nodiscard]] std::vector<std::size_t> whole_layers(std::span<const CostAndRevenue> points,
                                                    std::size_t most);

/// Candidates on samples that did not choose them: (candidate, sample).
using JudgedRuns = std::vector<std::pair<std::size_t, std::size_t>>;

/// The revenue and loss of such runs.
struct HeldOutFigures {
  std::vector<double> shares{};  ///< revenue, per sample
  std::vector<double> losses{};
  std::vector<double> nets{};  ///< revenue minus loss (TuneRuns::net)
  /// The weight of each in a mean: for parts of one history the spot revenue that they request.
  std::vector<double> weights{};
  std::size_t over_limit = 0;  ///< samples on which the loss exceeds the limit
};

/// The simulated results of some candidates on some samples.
class TuneRuns {
 public:
  /// Args: more_hosts_percent: hosts added to each sample. progress: may be null.
  TuneRuns(const TuneSettings& settings, std::span<const TuneSample> samples, HostMix host,
           double more_hosts_percent = 0, ProgressSink* progress = nullptr);

  /// Simulates the missing combinations, several groups in parallel. The results do not depend on
  /// the number of threads.
  void simulate(std::span<const std::size_t> candidates, std::span<const std::size_t> samples);

  /// The run of a sample, including any sample that it continues; null: not simulated.
  [[nodiscard]] const RunResult* find(std::size_t candidate, std::size_t sample) const;
  /// True if the sample and any sample that it continues were simulated, as needed for its own
  /// results.
  [[nodiscard]] bool knows(std::size_t candidate, std::size_t sample) const;
  /// Requires a simulated run.
  [[nodiscard]] CostAndRevenue point(std::size_t candidate, std::size_t sample) const;
  /// The mean over simulated samples; of parts of one history the shares of their sums.
  [[nodiscard]] CostAndRevenue mean(std::size_t candidate,
                                    std::span<const std::size_t> samples) const;
  /// Spot revenue minus VM loss, as a fraction of the requested spot revenue. A VM's lost vCPU-hour
  /// counts as `vm_worth` (of the sample) spot vCPU-hours.
  [[nodiscard]] double net(std::size_t candidate, std::size_t sample) const;
  /// The same of it.
  [[nodiscard]] double mean_net(std::size_t candidate, std::span<const std::size_t> samples) const;
  /// The number of these samples on which its VM loss exceeds the limit.
  [[nodiscard]] std::size_t over_limit(std::size_t candidate,
                                       std::span<const std::size_t> samples) const;
  /// Orders candidates by the number of samples on which they exceed the limit of VM loss, then by
  /// net revenue.
  [[nodiscard]] std::vector<std::size_t> by_limit(std::vector<std::size_t> candidates,
                                                  std::span<const std::size_t> samples) const;
  [[nodiscard]] HeldOutFigures figures(const JudgedRuns& runs) const;
  /// The revenue of a sample alone, without what came before it.
  [[nodiscard]] PartAccount account(std::size_t candidate, std::size_t sample) const;
  /// The same in money, with the days of the sample. Args: prices: per unit of its vcpus.
  [[nodiscard]] Income income(std::size_t candidate, std::size_t sample,
                              const VcpuHourPrices& prices) const;
  /// The number of hosts of a sample.
  [[nodiscard]] std::size_t hosts(std::size_t sample) const;
  [[nodiscard]] std::size_t count() const { return counter_.done(); }
  /// Ends the simulation; progress then shows the completed runs as the total.
  void finish();
  [[nodiscard]] const CandidateSpace& space() const { return space_; }
  [[nodiscard]] const TuneSettings& settings() const { return settings_; }

 private:
  struct Group;
  [[nodiscard]] std::vector<Group> missing(std::span<const std::size_t> candidates,
                                           std::span<const std::size_t> samples);
  [[nodiscard]] std::vector<AllocatorSpec> allocators_of(const Group& group,
                                                         const TuneSample& sample) const;
  void run_group(const Group& group);
  void go_on(const Group& group);
  void forget_dropped();
  [[nodiscard]] double net_of(const PartAccount& of, std::size_t sample) const;
  /// The sum over parts of one history.
  [[nodiscard]] PartAccount sum_of(std::size_t candidate,
                                   std::span<const std::size_t> samples) const;
  [[nodiscard]] bool is_one_history() const {
    return samples_.size() > 1 && samples_.back().goes_on;
  }
  /// The parts of a history share a schedule: a run of one goes on into the next.
  [[nodiscard]] bool goes_by_cuts() const { return !samples_.back().schedule.cuts.empty(); }

  const TuneSettings& settings_;
  std::span<const TuneSample> samples_;
  HostMix host_;
  double more_hosts_percent_;
  CandidateSpace space_;
  std::vector<std::optional<RunResult>> results_;  // by sample, then candidate
  std::vector<std::uint8_t> is_asked_;             // of each: a search simulated it
  // The runs of each candidate, which go on from part to part, and the parts that they have had.
  std::vector<GroupRun> at_;
  std::vector<std::size_t> parts_until_;
  RunCounter counter_;
};

/// One round of the search: the number of candidates and of samples.
struct TuneRound {
  std::size_t candidates = 0;  ///< in the plan: the maximum
  std::size_t by_limit = 0;    ///< chosen by the limit; the others are from Pareto layers
  std::size_t samples = 0;
};

struct TuneOutcome {
  std::vector<std::size_t> selection;  ///< samples, in order of use
  std::vector<std::size_t> held_out;
  std::vector<TuneRound> rounds;
  std::vector<std::size_t> complete;   ///< candidates that ran on every selection sample
  std::vector<std::size_t> finalists;  ///< those to compare the recommendation with, best first
  /// The candidates of `complete` that none of `complete` dominates on the selection samples, best
  /// first; of identical ones the first; an even sample if there are too many to judge.
  std::vector<std::size_t> front;
  std::size_t whole_front = 0;  ///< its size before that sampling
  std::size_t recommendation = 0;
  bool keeps_limit =
      false;  ///< the recommendation keeps the limit of VM loss on every selection sample
  /// The best setting without cooperation (OTN 1, SAF off), by the rule that chose the
  /// recommendation; none if no candidate is without. All of them were compared unless the budget
  /// is too small.
  std::optional<std::size_t> without_cooperation;
  std::size_t tried_without_cooperation = 0;
  /// The best of those that a stock Nova can express.
  std::optional<std::size_t> without_cooperation_for_nova;
  /// The best of `complete` that cooperates, by the same rule.
  std::optional<std::size_t> with_cooperation;
  /// The best candidate that needs true lifetimes, by the same rule: an upper bound.
  std::optional<std::size_t> bound;
  /// The best finalist that a stock Nova can express (is_for_nova).
  std::optional<std::size_t> recommendation_for_nova;
};

/// The runs that judge the candidate that `pick` names in each search: on the samples that the
/// search held out. Nothing if it names none in one.
template <class Pick>
[[nodiscard]] std::optional<JudgedRuns> judged_runs(std::span<const TuneOutcome> searches,
                                                    const Pick& pick) {
  JudgedRuns runs;
  for (const TuneOutcome& search : searches) {
    const std::optional<std::size_t> candidate = std::invoke(pick, search);
    if (!candidate) return std::nullopt;
    for (const std::size_t sample : search.held_out) runs.emplace_back(*candidate, sample);
  }
  return runs;
}

/// The mean gain of one choice over another, paired by sample or part.
[[nodiscard]] MeanInterval gain_over(std::vector<double> net, std::span<const double> other);
/// The same of runs on the same samples, as a share of what spots request.
[[nodiscard]] MeanInterval gain_over(const HeldOutFigures& figures, const HeldOutFigures& others);

/// Throws ConfigError if every candidate needs true lifetimes, because none could be deployed.
void require_something_to_set(const TuneSettings& settings);

/// Searches by successive halving: every candidate (or a random subset that fits the budget) on one
/// selection sample, the best third on twice as many samples, and so on. Each round also keeps
/// whole Pareto layers of spot revenue against VM loss, at most as many candidates again (30 if
/// that is more). The recommendation is the candidate with the highest net revenue (TuneRuns::net)
/// among those that keep the limit of VM loss on every selection sample; if none does, the one with
/// the smallest loss. The recommendation, the other finalists and the front also run on the
/// held-out samples, which have no influence on the choice.
///
/// Candidates without cooperation are never eliminated, so that the recommendation is compared with
/// the best of them. Candidates that need true lifetimes have a separate search for the upper
/// bound: they are never the recommendation, a finalist, or on the front.
///
/// Args: use: one sample or more chooses. Errors: ConfigError if the budget is too small or no
/// candidate can be deployed; PolicyError.
[[nodiscard]] TuneOutcome tune(const SampleUse& use, TuneRuns& runs);

}  // namespace cospot
