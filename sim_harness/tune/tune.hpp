#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sim_harness/experiments/grid/grid.hpp"
#include "sim_harness/experiments/queue/progress.hpp"
#include "sim_harness/provider/run/run_result.hpp"
#include "sim_harness/studies/provider/given_parts.hpp"
#include "sim_harness/tune/pareto_layers.hpp"
#include "sim_harness/tune/tune_samples.hpp"

namespace cospot {

struct TuneSettings {
  std::vector<ChainSpec> vm{};
  std::vector<ChainSpec> spot{};
  std::vector<EvictorSpec> evictors{};
  std::vector<bool> saf{false, true};
  std::vector<OfferRule> otn{};
  /// In every run; null: nothing but VMs and spots, by one scheduler.
  std::shared_ptr<const GivenParts> with{};
  double max_vm_loss = 0;             ///< a fraction, of every sample
  std::optional<std::size_t> budget;  ///< runs at most
  std::uint64_t seed = 1;             ///< of what the budget leaves out
  std::size_t threads = 1;
};

/// A candidate's positions among the choices of TuneSettings.
struct TuneCandidate {
  std::size_t vm = 0;
  std::size_t spot = 0;
  std::size_t evictor = 0;
  std::size_t saf = 0;
  std::size_t otn = 0;
};

/// The candidates of a tuning, numbered as the runs of one workload and size are in a sweep. The
/// settings outlive it.
class CandidateSpace {
 public:
  explicit CandidateSpace(const TuneSettings& settings);

  [[nodiscard]] std::size_t size() const { return grid_.run_count(); }
  [[nodiscard]] TuneCandidate at(std::size_t candidate) const;
  /// The candidate with the same policies that does not cooperate (OTN 1, SAF off), if there is.
  [[nodiscard]] std::optional<std::size_t> baseline_of(std::size_t candidate) const;
  /// Tells whether a policy of it needs true lifetimes: an upper bound, not to be recommended.
  [[nodiscard]] bool is_bound(std::size_t candidate) const;

 private:
  const TuneSettings& settings_;
  Grid grid_;
};

/// What was simulated: a result for some candidates on some samples.
class TuneRuns {
 public:
  /// Args: more_hosts_percent: hosts that every sample has beside its own. progress: may be null.
  TuneRuns(const TuneSettings& settings, std::span<const TuneSample> samples, HostMix host,
           double more_hosts_percent = 0, ProgressSink* progress = nullptr);

  /// Simulates what is asked for and not known yet, several groups at once. The results do not
  /// depend on the number of threads.
  void simulate(std::span<const std::size_t> candidates, std::span<const std::size_t> samples);

  /// The run of a sample, with what it goes on from; null: not simulated.
  [[nodiscard]] const RunResult* find(std::size_t candidate, std::size_t sample) const;
  /// Whether the sample was simulated with what it goes on from, so that it can be told apart.
  [[nodiscard]] bool knows(std::size_t candidate, std::size_t sample) const;
  /// Of a run that was simulated.
  [[nodiscard]] CostAndRevenue point(std::size_t candidate, std::size_t sample) const;
  /// The mean over samples that were simulated.
  [[nodiscard]] CostAndRevenue mean(std::size_t candidate,
                                    std::span<const std::size_t> samples) const;
  /// What spots earn less what VMs lose, a fraction of what spots request. A lost vCPU-hour of a VM
  /// counts as so many of a spot as the sample's vm_worth says.
  [[nodiscard]] double net(std::size_t candidate, std::size_t sample) const;
  /// The mean over samples that were simulated.
  [[nodiscard]] double mean_net(std::size_t candidate, std::span<const std::size_t> samples) const;
  /// How many hosts a sample has.
  [[nodiscard]] std::size_t hosts(std::size_t sample) const;
  [[nodiscard]] std::size_t count() const { return counter_.done(); }
  /// No more is simulated; progress shows the runs so far as all of them.
  void finish();
  [[nodiscard]] const CandidateSpace& space() const { return space_; }

 private:
  struct Group;
  [[nodiscard]] std::vector<Group> missing(std::span<const std::size_t> candidates,
                                           std::span<const std::size_t> samples) const;
  void run_group(const Group& group);
  struct Revenues;
  [[nodiscard]] Revenues revenues(std::size_t candidate, std::size_t sample) const;

  const TuneSettings& settings_;
  std::span<const TuneSample> samples_;
  HostMix host_;
  double more_hosts_percent_;
  CandidateSpace space_;
  std::vector<std::optional<RunResult>> results_;  // by sample, then candidate
  RunCounter counter_;                             // of at most all candidates on all samples
};

/// One round of the search: how many candidates ran on how many samples.
struct TuneRound {
  std::size_t candidates = 0;  ///< in the plan: at most
  std::size_t by_limit = 0;    ///< of them, chosen by the limit; the others are of Pareto layers
  std::size_t samples = 0;
};

struct TuneOutcome {
  std::vector<std::size_t> selection;  ///< samples, in the order they were used
  std::vector<std::size_t> held_out;
  std::vector<TuneRound> rounds;
  std::vector<std::size_t> complete;  ///< candidates that ran on every selection sample
  std::vector<std::size_t>
      finalists;  ///< of them, those to compare the recommendation with, best first
  /// Those of `complete` that no other of `complete` dominates on the selection samples, the best
  /// first and of equal ones the first; of more than can be judged, an even choice.
  std::vector<std::size_t> front;
  std::size_t whole_front = 0;  ///< how many there are before that choice
  std::size_t recommendation = 0;
  bool keeps_limit =
      false;  ///< the recommendation keeps the limit of VM loss on every selection sample
  /// The best setting without cooperation (OTN 1, SAF off), by the rule that chose the
  /// recommendation; none when no candidate is without. What was compared for it: all of them,
  /// unless the budget is too small.
  std::optional<std::size_t> without_cooperation;
  std::size_t tried_without_cooperation = 0;
  /// The best of those that a stock Nova can be set to.
  std::optional<std::size_t> without_cooperation_for_nova;
  /// The best of the candidates that need true lifetimes, by the same rule: an upper bound.
  std::optional<std::size_t> bound;
  /// The best finalist that a stock Nova can be set to (is_for_nova).
  std::optional<std::size_t> recommendation_for_nova;
};

/// Throws ConfigError when every candidate needs true lifetimes: none of them can be set.
void require_something_to_set(const TuneSettings& settings);

/// Tells whether nova.conf has values for a candidate: an OTN that is a number, an evictor that
/// needs no lifetimes, and spots without a promise.
[[nodiscard]] bool is_for_nova(const TuneSettings& settings, const TuneCandidate& candidate);

/// Searches by successive halving: every candidate (or as many as the budget allows, drawn at
/// random) on one selection sample, the best third on twice as many samples, and so on; beside
/// them go whole Pareto layers of spot revenue against VM loss, of as many candidates at most (30
/// if that is more). The recommendation is the candidate with the most net revenue (TuneRuns::net)
/// among those that keep the limit of VM loss on every selection sample (when none does, the one
/// that loses least). It, the other finalists and the front run on the held-out samples, which play
/// no part in the choice.
///
/// Candidates without cooperation are not eliminated, so that the recommendation is compared with
/// the best of them. Candidates that need true lifetimes have a search of their own, for the upper
/// bound: they are neither recommendation nor finalists nor on the front.
///
/// Args: held_out: of each sample, whether it judges; with none, all choose and nothing judges.
/// Errors: ConfigError when the budget is too small, or nothing can be set; PolicyError.
[[nodiscard]] TuneOutcome tune(const TuneSettings& settings, const std::vector<bool>& held_out,
                               TuneRuns& runs);

/// Cross-validation: the search once for each fold, which is held out while the others choose.
///
/// Args: fold_of: of each sample, from 0 (draw_folds). Errors: ConfigError when there is one fold;
/// PolicyError.
[[nodiscard]] std::vector<TuneOutcome> cross_validate(const TuneSettings& settings,
                                                      std::span<const std::size_t> fold_of,
                                                      TuneRuns& runs);

}  // namespace cospot
