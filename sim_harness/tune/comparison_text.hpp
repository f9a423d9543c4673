#pragma once

#include <span>
#include <string>

#include "sim_harness/tune/tune_figures.hpp"

namespace cospot {

/// What recommendations earn and lose on samples that played no part in choosing them, and beside
/// it what that is to be compared with: the best setting without cooperation, the same policies
/// without it, the upper bound, the best that Nova can be set to. One line each.
///
/// Args: outcome: of the search whose recommendation is given; judged: searches with held-out
/// samples, that one or those of its cross-validation.
[[nodiscard]] std::string comparison_text(const TuneFigures& figures, const TuneOutcome& outcome,
                                          std::span<const TuneOutcome> judged);

}  // namespace cospot
