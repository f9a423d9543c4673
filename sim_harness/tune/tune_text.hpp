#pragma once

#include <optional>
#include <span>
#include <string>

#include "sim_harness/tune/tune.hpp"
#include "sim_harness/tune/tune_verdict.hpp"

namespace cospot {

/// What a tuning found, for its texts. All that it refers to outlives it.
struct TuneFindings {
  const TuneSettings& settings;
  std::span<const TuneSample> samples;
  const TuneRuns& runs;
  const TuneOutcome& outcome;
  std::span<const TuneOutcome> folds;  ///< of cross_validate; empty: `outcome` has held-out samples
  const std::optional<WholeWorkload>& whole;  ///< of make_samples
  TuneVerdict verdict{};
  std::span<const MoreHosts> tried{};  ///< where the verdict is to keep what there is

  /// The searches that were judged by samples they did not know.
  [[nodiscard]] std::span<const TuneOutcome> judged() const {
    return folds.empty() ? std::span(&outcome, 1) : folds;
  }
};

/// What a setting earns and loses on samples that played no part in its choice, fractions of what
/// is requested there: means over the samples.
struct ExpectedFigures {
  std::size_t samples = 0;
  std::size_t over_limit = 0;  ///< of them, those that lose more VM revenue than the limit
  MeanInterval spot_share{};
  MeanInterval vm_loss{};
};

/// Of what each search advises.
[[nodiscard]] ExpectedFigures expected_figures(const TuneFindings& findings);

/// What to set, what it earned and lost on the held-out samples, how sure that is, and the Pareto
/// front, in words and tables.
[[nodiscard]] std::string tune_text(const TuneFindings& findings);

}  // namespace cospot
