#pragma once

#include <optional>
#include <span>
#include <string>

#include "sim_harness/studies/tune/tune.hpp"

namespace cospot {

/// What to set, what it earned and lost on the held-out samples, how sure that is, and the Pareto
/// front, in words and tables.
///
/// Args: folds: of cross_validate; they judge the search where `outcome` has no held-out samples;
/// whole: of make_samples.
[[nodiscard]] std::string tune_text(const TuneSettings& settings,
                                    std::span<const TuneSample> samples, const TuneRuns& runs,
                                    const TuneOutcome& outcome,
                                    std::span<const TuneOutcome> folds = {},
                                    const std::optional<WholeWorkload>& whole = {});

}  // namespace cospot
