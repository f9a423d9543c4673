#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim_harness/advise/tune.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/experiments/summary/mean_interval.hpp"

namespace cospot {

/// The verdict of the validation samples on the searches' recommendations.
enum class TuneAdvice {
  kCooperate,     ///< keeps the limit of VM loss on each, and its gain's interval is above 0
  kKeepForLimit,  ///< exceeds the limit of VM loss: do not cooperate
  kKeepForGain,   ///< its gain over no cooperation has no interval above 0
  kNotCompared,   ///< no setting without cooperation was tried
};

/// The JSON value: "cooperate", "keep: over the limit", ...
[[nodiscard]] std::string_view advice_name(TuneAdvice advice);

/// The choice of each search that a verdict is about.
enum class JudgedChoice {
  kBest,     ///< TuneOutcome::recommendation
  kForNova,  ///< TuneOutcome::recommendation_for_nova: a simpler offer and evictor
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
/// setting without cooperation. If the best of all settings exceeds the limit or has no gain with
/// an interval above 0, the best that Nova can express may still pass.
[[nodiscard]] TuneVerdict judge(const TuneSettings& settings, const TuneRuns& runs,
                                const TuneOutcome& outcome, std::span<const TuneOutcome> judged);

/// The setting of a search that a verdict is about.
[[nodiscard]] std::optional<std::size_t> judged_setting(const TuneVerdict& verdict,
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

/// The first lines of the output: the recommendation and the evidence for it. `tried`: searches
/// with more hosts; the last may be the first one that pays.
[[nodiscard]] std::string verdict_text(const TuneVerdict& verdict, double max_vm_loss,
                                       std::span<const MoreHosts> tried);
[[nodiscard]] Json verdict_json(const TuneVerdict& verdict, std::span<const MoreHosts> tried);

}  // namespace cospot
