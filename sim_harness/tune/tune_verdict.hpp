#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim_harness/base/json/json.hpp"
#include "sim_harness/experiments/summary/mean_interval.hpp"
#include "sim_harness/tune/tune.hpp"

namespace cospot {

/// What the validation samples say of what the searches recommend.
enum class TuneAdvice {
  kCooperate,     ///< it keeps the limit of VM loss on each, and earns more beyond its interval
  kKeepForLimit,  ///< it loses more VM revenue than the limit: do not cooperate
  kKeepForGain,   ///< it does not earn more than no cooperation beyond its interval
  kNotCompared,   ///< no setting without cooperation was tried
};

/// "cooperate", "keep: over the limit", ...: what a JSON key says.
[[nodiscard]] std::string_view advice_name(TuneAdvice advice);

/// What of each search a verdict is of.
enum class JudgedChoice {
  kBest,     ///< TuneOutcome::recommendation
  kForNova,  ///< TuneOutcome::recommendation_for_nova: a plainer offer and evictor
};

/// A judgement out of sample: every figure is of samples that did not choose the setting.
struct TuneVerdict {
  TuneAdvice advice = TuneAdvice::kNotCompared;
  JudgedChoice choice = JudgedChoice::kBest;
  MeanInterval gain{};  ///< net revenue beyond no cooperation, a fraction of what spots request
  std::size_t searches = 0;    ///< of all folds, or one
  std::size_t chose_it = 0;    ///< of them, those that chose what is recommended
  std::size_t validated = 0;   ///< samples
  std::size_t over_limit = 0;  ///< of them, those on which the recommendation loses too much
  std::size_t over_limit_without = 0;  ///< the same without cooperation
  double most_lost = 0;                ///< of a sample's VM revenue
  std::size_t over_limit_of_best = 0;  ///< where the choice is not the best: of that

  [[nodiscard]] bool cooperates() const {
    return advice == TuneAdvice::kCooperate || advice == TuneAdvice::kNotCompared;
  }
};

/// Judges what `judged` recommend: the searches of all folds, or the one with held-out samples.
/// Paired by sample: what the recommendation of a search earns, net of lost VMs, less what the best
/// setting without cooperation of the same search does. Where the best of all settings does not
/// keep the limit, or does not earn more beyond its interval, the best that Nova can be set to may.
[[nodiscard]] TuneVerdict judge(const TuneSettings& settings, const TuneRuns& runs,
                                const TuneOutcome& outcome, std::span<const TuneOutcome> judged);

/// What to set by a verdict: the recommendation of the search, or the best without cooperation.
[[nodiscard]] std::size_t advised(const TuneVerdict& verdict, const TuneOutcome& outcome);
/// The same of those that nova.conf has values for.
[[nodiscard]] std::optional<std::size_t> advised_for_nova(const TuneVerdict& verdict,
                                                          const TuneOutcome& outcome);

/// A search with more hosts, for a datacenter in which cooperation does not pay.
struct MoreHosts {
  double percent = 0;     ///< more than the datacenter has
  std::size_t hosts = 0;  ///< of the whole workload, or of the first sample
  std::size_t added = 0;  ///< of them, those that it does not have
  std::string setting;    ///< that was found
  TuneVerdict verdict{};
};

/// The first lines of the output: what to do, and the evidence for it. `tried`: searches with more
/// hosts, of which the last may be the first that pays.
[[nodiscard]] std::string verdict_text(const TuneVerdict& verdict, double max_vm_loss,
                                       std::span<const MoreHosts> tried);
[[nodiscard]] Json verdict_json(const TuneVerdict& verdict, std::span<const MoreHosts> tried);

}  // namespace cospot
