#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim_harness/advise/tune.hpp"
#include "sim_harness/advise/tune_verdict.hpp"

namespace cospot {

/// The results of a tuning, for its texts. Referenced objects outlive it.
struct TuneFindings {
  const TuneSettings& settings;
  std::span<const TuneSample> samples;
  const TuneRuns& runs;
  const TuneOutcome& outcome;
  std::span<const TuneOutcome> folds;  ///< of cross_validate; empty: `outcome` has held-out samples
  const std::optional<WholeWorkload>& whole;  ///< of make_samples
  TuneVerdict verdict{};
  std::span<const MoreHosts> tried{};  ///< if the verdict is to keep the current setting

  /// The searches judged by samples they did not use.
  [[nodiscard]] std::span<const TuneOutcome> judged() const {
    return folds.empty() ? std::span(&outcome, 1) : folds;
  }
};

/// The revenue and loss of a setting on samples that did not choose it, as fractions of the
/// requested revenue: means over the samples.
struct ExpectedFigures {
  std::size_t samples = 0;
  std::size_t over_limit = 0;  ///< samples whose VM loss exceeds the limit
  MeanInterval spot_share{};
  MeanInterval vm_loss{};
};

/// For the setting that each search advises.
[[nodiscard]] ExpectedFigures expected_figures(const TuneFindings& findings);

/// The recommendation, its revenue and loss on the held-out samples with confidence, and the Pareto
/// front, as text and tables. `money_gain`: a line below the verdict (money_gain_text), if there
/// are prices.
[[nodiscard]] std::string tune_text(const TuneFindings& findings, std::string_view money_gain = {});

}  // namespace cospot
