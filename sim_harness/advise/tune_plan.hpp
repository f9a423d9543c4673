#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "sim_harness/advise/tune.hpp"

namespace cospot {

/// The minimum number of finalists, if there are enough candidates.
inline constexpr std::size_t kFinalists = 15;
/// The maximum number of front points to judge.
inline constexpr std::size_t kFrontPoints = 40;

/// The number of places for Pareto layers in a round that keeps `by_limit` candidates by the limit.
[[nodiscard]] std::size_t layer_places(std::size_t by_limit);

/// The plan of a search, made before its first run.
struct TunePlan {
  std::vector<std::size_t> first;  ///< candidates of the first round, ascending
  /// Candidates without cooperation that run on every selection sample regardless of the rounds, so
  /// that the best of them is known. Ascending.
  std::vector<std::size_t> without_cooperation;
  std::vector<TuneRound> rounds;
};

/// Plans a search among `candidates`, which include those of `without_cooperation`: all of them, or
/// a random subset by the seed that fits the budget, with up to a third of the budget for those
/// without cooperation. Nothing if the budget is too small for one candidate; `least_budget` is
/// enough.
///
/// Args: candidates: not empty, ascending; selection, held_out: numbers of samples, selection > 0.
[[nodiscard]] std::optional<TunePlan> plan_search(std::span<const std::size_t> candidates,
                                                  std::span<const std::size_t> without_cooperation,
                                                  std::optional<std::size_t> budget,
                                                  std::uint64_t seed, std::size_t selection,
                                                  std::size_t held_out);

/// The maximum number of runs of a search for one candidate.
[[nodiscard]] std::size_t least_budget(std::size_t selection, std::size_t held_out);

}  // namespace cospot
