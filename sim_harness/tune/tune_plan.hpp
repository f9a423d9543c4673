#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "sim_harness/tune/tune.hpp"

namespace cospot {

/// Never fewer finalists, if there are so many candidates.
inline constexpr std::size_t kFinalists = 15;
/// So many points of the front are judged at most.
inline constexpr std::size_t kFrontPoints = 40;

/// How many places a round has for Pareto layers, beside so many that it keeps by the limit.
[[nodiscard]] std::size_t layer_places(std::size_t by_limit);

/// What a search will do, before its first run.
struct TunePlan {
  std::vector<std::size_t> first;  ///< candidates of the first round, ascending
  /// Candidates without cooperation that run on every selection sample whatever the rounds keep, so
  /// that the best of them is known. Ascending.
  std::vector<std::size_t> without_cooperation;
  std::vector<TuneRound> rounds;
};

/// Plans a search among `candidates`, of which those of `without_cooperation` are some: all of
/// them, or as many as the budget allows, drawn by the seed; up to a third of the budget is for
/// those without cooperation. Nothing when the budget does not reach for one candidate:
/// `least_budget` does.
///
/// Args: candidates: one or more, ascending; selection, held_out: numbers of samples, selection >
/// 0.
[[nodiscard]] std::optional<TunePlan> plan_search(std::span<const std::size_t> candidates,
                                                  std::span<const std::size_t> without_cooperation,
                                                  std::optional<std::size_t> budget,
                                                  std::uint64_t seed, std::size_t selection,
                                                  std::size_t held_out);

/// The runs that a search for one candidate takes at most.
[[nodiscard]] std::size_t least_budget(std::size_t selection, std::size_t held_out);

}  // namespace cospot
