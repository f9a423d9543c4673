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

/// What a search earns and loses on samples that played no part in it: a table by fold, and what is
/// expected of the recommendation, in words.
///
/// Args: outcome: of the search by all samples, whose recommendation is given; folds: of
/// cross_validate, one or more, each with one held-out sample or more; sample_names: of every one.
[[nodiscard]] std::string cross_validation_text(const TuneFigures& figures,
                                                const TuneOutcome& outcome,
                                                std::span<const TuneOutcome> folds,
                                                std::span<const std::string> sample_names);

}  // namespace cospot
