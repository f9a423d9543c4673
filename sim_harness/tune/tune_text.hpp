#pragma once

#include <span>
#include <string>

#include "sim_harness/tune/tune.hpp"

namespace cospot {

/// With `folds`, which judge the search instead of held-out samples of `outcome`, of which there
/// are none then. What to set, what it earned and lost on the held-out samples, how sure that is,
/// and the Pareto front, in words and tables.
[[nodiscard]] std::string tune_text(const TuneSettings& settings,
                                    std::span<const TuneSample> samples, const TuneRuns& runs,
                                    const TuneOutcome& outcome,
                                    std::span<const TuneOutcome> folds = {});

}  // namespace cospot
