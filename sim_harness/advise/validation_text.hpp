#pragma once

#include <span>
#include <string>

#include "sim_harness/advise/tune_figures.hpp"

namespace cospot {

/// The revenue and loss of recommendations on samples that did not choose them, and the same for
/// comparison: the best setting without cooperation, the same policies without it, the upper bound,
/// and the best that Nova can express. One line each.
///
/// Args: outcome: of the search with the given recommendation; judged: searches with held-out
/// samples, either that one or those of its cross-validation.
[[nodiscard]] std::string comparison_text(const TuneFigures& figures, const TuneOutcome& outcome,
                                          std::span<const TuneOutcome> judged);

/// The revenue and loss of each search on samples that did not choose it: a table by fold, and the
/// expected results of the recommendation in words.
///
/// Args: outcome: of the search over all samples, whose recommendation is given; folds: from
/// cross_validate, not empty, each with at least one held-out sample; sample_names: of every
/// sample.
[[nodiscard]] std::string cross_validation_text(const TuneFigures& figures,
                                                const TuneOutcome& outcome,
                                                std::span<const TuneOutcome> folds,
                                                std::span<const std::string> sample_names);

}  // namespace cospot
