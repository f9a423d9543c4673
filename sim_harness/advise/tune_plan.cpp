#include "sim_harness/advise/tune_plan.hpp"

#include <algorithm>
#include <utility>

#include "core/random.hpp"

namespace cospot {
namespace {

/// One in this many candidates of a round advances.
constexpr std::size_t kKeepOneIn = 3;
/// The recommendation and that for Nova are among the finalists, if need be beyond their number.
constexpr std::size_t kAdvices = 2;
/// Never fewer places for Pareto layers: one sample says little of which settings a front has.
constexpr std::size_t kLayerPlaces = 30;
/// One in this many runs of a budget goes to candidates without cooperation.
constexpr std::size_t kBudgetOneIn = 3;

/// The number of candidates that a round keeps by the limit of VM loss.
std::size_t kept(std::size_t candidates) {
  return std::min(candidates, std::max(kFinalists, (candidates + kKeepOneIn - 1) / kKeepOneIn));
}

/// The rounds for `first` candidates: samples double until all are in use.
std::vector<TuneRound> plan_rounds(std::size_t first, std::size_t selection_samples) {
  std::vector<TuneRound> rounds{{.candidates = first, .by_limit = first, .samples = 1}};
  while (rounds.back().samples < selection_samples) {
    const TuneRound last = rounds.back();
    const std::size_t by_limit = kept(last.by_limit);
    rounds.push_back({.candidates = std::min(last.candidates, by_limit + layer_places(by_limit)),
                      .by_limit = by_limit,
                      .samples = std::min(2 * last.samples, selection_samples)});
  }
  return rounds;
}

/// At most: the finalists and the front run on the held-out samples, and so do the baseline of the
/// recommendation, which may have no runs yet, and the best without cooperation.
std::size_t most_runs(std::size_t first, std::size_t without_cooperation, std::size_t selection,
                      std::size_t held_out) {
  const std::vector<TuneRound> rounds = plan_rounds(first, selection);
  std::size_t runs = 0;
  std::size_t samples = 0;
  for (const TuneRound& round : rounds) {
    runs += round.candidates * (round.samples - samples);
    samples = round.samples;
  }
  const std::size_t complete = rounds.back().candidates + without_cooperation;
  const std::size_t judged = std::min(complete, kFinalists + kAdvices + kFrontPoints);
  const std::size_t compared = selection + held_out;  // the baseline
  return runs + judged * held_out + compared +
         (without_cooperation > 0 ? without_cooperation * selection + held_out : 0);
}

/// So many of the candidates, drawn by the seed, ascending.
std::vector<std::size_t> drawn(std::span<const std::size_t> candidates, std::size_t count,
                               std::uint64_t seed) {
  std::vector<std::size_t> some(candidates.begin(), candidates.end());
  Random random(seed);
  for (std::size_t i = 0; i < count && count < some.size(); ++i) {
    std::swap(some[i], some[i + random.below(some.size() - i)]);
  }
  some.resize(count);
  std::ranges::sort(some);
  return some;
}

}  // namespace

std::size_t layer_places(std::size_t by_limit) { return std::max(by_limit, kLayerPlaces); }

std::size_t least_budget(std::size_t selection, std::size_t held_out) {
  return most_runs(1, 0, selection, held_out);
}

std::optional<TunePlan> plan_search(std::span<const std::size_t> candidates,
                                    std::span<const std::size_t> without_cooperation,
                                    std::optional<std::size_t> budget, std::uint64_t seed,
                                    std::size_t selection, std::size_t held_out) {
  std::size_t count = candidates.size();
  std::size_t plain = without_cooperation.size();
  if (budget) {
    plain = std::min(plain, *budget / kBudgetOneIn / selection);
    while (plain > 0 && most_runs(1, plain, selection, held_out) > *budget) --plain;
    while (count > 0 && most_runs(count, plain, selection, held_out) > *budget) --count;
    if (count == 0) return std::nullopt;
  }
  return TunePlan{.first = drawn(candidates, count, seed),
                  .without_cooperation = drawn(without_cooperation, plain, seed),
                  .rounds = plan_rounds(count, selection)};
}

}  // namespace cospot
