#include "sim_harness/advise/tune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "core/errors.hpp"
#include "core/random.hpp"

namespace cospot {
namespace {

/// The minimum number of finalists, if there are enough candidates.
constexpr std::size_t kFinalists = 15;
/// The maximum number of front points to judge.
constexpr std::size_t kFrontPoints = 40;
/// One in this many candidates of a round advances.
constexpr std::size_t kKeepOneIn = 3;
/// The recommendation and that for Nova are among the finalists, if need be beyond their number.
constexpr std::size_t kAdvices = 2;
/// Never fewer places for Pareto layers: one sample says little of which settings a front has.
constexpr std::size_t kLayerPlaces = 30;
/// One in this many runs of a budget goes to candidates without cooperation.
constexpr std::size_t kBudgetOneIn = 3;

/// The number of places for Pareto layers in a round that keeps `by_limit` candidates by the limit.
std::size_t layer_places(std::size_t by_limit) { return std::max(by_limit, kLayerPlaces); }

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

/// The maximum number of runs of a search for one candidate.
std::size_t least_budget(std::size_t selection, std::size_t held_out) {
  return most_runs(1, 0, selection, held_out);
}

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

/// The candidates from which a search chooses.
struct CandidatePool {
  std::vector<std::size_t> candidates;           ///< ascending
  std::vector<std::size_t> without_cooperation;  ///< those of them with OTN 1 and SAF off
};

CandidatePool pool_of(const CandidateSpace& space, bool bounds) {
  CandidatePool pool;
  for (std::size_t candidate = 0; candidate < space.size(); ++candidate) {
    if (space.is_bound(candidate) != bounds) continue;
    pool.candidates.push_back(candidate);
    if (space.baseline_of(candidate) == candidate) pool.without_cooperation.push_back(candidate);
  }
  return pool;
}

class Search {
 public:
  /// Args: pool: of one candidate or more; budget: of this search.
  Search(const SampleUse& use, TuneRuns& runs, CandidatePool pool,
         std::optional<std::size_t> budget)
      : settings_(runs.settings()), runs_(runs), pool_(std::move(pool)), budget_(budget) {
    outcome_.selection = use.selection;
    outcome_.held_out = use.held_out;
  }

  TuneOutcome run() {
    const std::optional<TunePlan> plan = plan_of(pool_.without_cooperation);
    if (!plan) {
      throw ConfigError(
          fmt::format("a budget of {} runs is too small: one candidate takes {}", *settings_.budget,
                      least_budget(outcome_.selection.size(), outcome_.held_out.size())));
    }
    run_rounds(*plan);
    runs_.simulate(plan->without_cooperation, outcome_.selection);
    std::set<std::size_t> complete(outcome_.complete.begin(), outcome_.complete.end());
    complete.insert(plan->without_cooperation.begin(), plan->without_cooperation.end());
    outcome_.complete.assign(complete.begin(), complete.end());
    choose();
    find_front();
    runs_.simulate(outcome_.finalists, outcome_.held_out);
    runs_.simulate(outcome_.front, outcome_.held_out);
    choose_without_cooperation(plan->without_cooperation);
    return outcome_;
  }

  /// The best alone; nothing when the budget does not reach for it.
  std::optional<std::size_t> run_for_best() {
    const std::optional<TunePlan> plan = plan_of({});
    if (!plan) return std::nullopt;
    run_rounds(*plan);
    const std::size_t best[] = {by_choice(outcome_.complete).front()};
    runs_.simulate(best, outcome_.held_out);
    return best[0];
  }

 private:
  [[nodiscard]] std::optional<TunePlan> plan_of(
      std::span<const std::size_t> without_cooperation) const {
    return plan_search(pool_.candidates, without_cooperation, budget_, settings_.seed,
                       outcome_.selection.size(), outcome_.held_out.size());
  }

  void run_rounds(const TunePlan& plan) {
    std::vector<std::size_t> candidates = plan.first;
    outcome_.rounds = plan.rounds;
    for (std::size_t round = 0; round < plan.rounds.size(); ++round) {
      const auto samples = std::span(outcome_.selection).first(plan.rounds[round].samples);
      runs_.simulate(candidates, samples);
      outcome_.rounds[round].candidates = candidates.size();
      if (round + 1 < plan.rounds.size()) {
        candidates = survivors(candidates, samples, plan.rounds[round + 1].by_limit);
      }
    }
    outcome_.complete = candidates;
  }

  /// Chooses among the planned ones and the baseline of the recommendation, which has the same
  /// policies.
  void choose_without_cooperation(std::vector<std::size_t> tried) {
    if (const auto baseline = runs_.space().baseline_of(outcome_.recommendation)) {
      const std::size_t one[] = {*baseline};
      runs_.simulate(one, outcome_.selection);
      runs_.simulate(one, outcome_.held_out);
      if (std::ranges::find(tried, *baseline) == tried.end()) tried.push_back(*baseline);
    }
    outcome_.tried_without_cooperation = tried.size();
    if (tried.empty()) return;
    std::ranges::sort(tried);
    const std::vector<std::size_t> ranked = by_choice(tried);
    runs_.simulate(std::span(ranked).first(1), outcome_.held_out);
    outcome_.without_cooperation = ranked.front();
    outcome_.without_cooperation_for_nova = first_for_nova(ranked);
  }

  std::vector<CostAndRevenue> means(std::span<const std::size_t> candidates,
                                    std::span<const std::size_t> samples) const {
    std::vector<CostAndRevenue> points;
    for (const std::size_t candidate : candidates) {
      points.push_back(runs_.mean(candidate, samples));
    }
    return points;
  }

  [[nodiscard]] std::optional<std::size_t> first_for_nova(
      std::span<const std::size_t> ranked) const {
    const auto nova = std::ranges::find_if(
        ranked, [this](std::size_t candidate) { return runs_.space().is_for_nova(candidate); });
    return nova == ranked.end() ? std::nullopt : std::optional(*nova);
  }

  /// The same candidates, the best of every VM policy in turn: a VM policy that has luck on the
  /// first sample must not drive out the others.
  [[nodiscard]] std::vector<std::size_t> in_turn(const std::vector<std::size_t>& ranked) const {
    std::vector<std::size_t> taken(settings_.vm.size(), 0);
    std::vector<std::size_t> order = ranked;
    std::map<std::size_t, std::size_t> turn;  // of each candidate
    for (const std::size_t candidate : ranked) {
      turn[candidate] = taken[runs_.space().positions(candidate).front()]++;
    }
    std::ranges::stable_sort(order, {}, [&](std::size_t candidate) { return turn[candidate]; });
    return order;
  }

  /// The candidates that advance: `count` by the limit, and whole Pareto layers, so that the front
  /// is found whatever the limit is.
  [[nodiscard]] std::vector<std::size_t> survivors(const std::vector<std::size_t>& candidates,
                                                   std::span<const std::size_t> samples,
                                                   std::size_t count) const {
    const std::vector<std::size_t> by_limit = best(candidates, samples, count);
    std::set<std::size_t> chosen(by_limit.begin(), by_limit.end());
    for (const std::size_t position :
         whole_layers(means(candidates, samples), layer_places(count))) {
      chosen.insert(candidates[position]);
    }
    return {chosen.begin(), chosen.end()};
  }

  /// The best: a third by the limit of VM loss, another by Pareto layers, so that more revenue for
  /// little more loss has a chance, and another by the limit among those that Nova can be set to.
  [[nodiscard]] std::vector<std::size_t> best(const std::vector<std::size_t>& candidates,
                                              std::span<const std::size_t> samples,
                                              std::size_t count) const {
    const std::vector<std::size_t> ranked = in_turn(runs_.by_limit(candidates, samples));
    std::set<std::size_t> chosen;
    const auto take = [&](std::size_t most, const auto& is_wanted) {
      for (const std::size_t candidate : ranked) {
        if (chosen.size() >= most) break;
        if (is_wanted(candidate)) chosen.insert(candidate);
      }
    };
    const auto any = [](std::size_t) { return true; };
    take(count / 3, [this](std::size_t candidate) { return runs_.space().is_for_nova(candidate); });
    take(2 * count / 3, any);
    const std::vector<CostAndRevenue> points = means(candidates, samples);
    for (const std::size_t position : best_by_layer(points, count - chosen.size())) {
      chosen.insert(candidates[position]);
    }
    take(count, any);
    return {chosen.begin(), chosen.end()};
  }

  [[nodiscard]] bool keeps_limit(std::size_t candidate) const {
    return runs_.over_limit(candidate, outcome_.selection) == 0;
  }

  /// First those that keep the limit, by net revenue; then the others, by what they lose. Of equal
  /// ones those that Nova can be set to, then the first.
  [[nodiscard]] std::vector<std::size_t> by_choice(std::vector<std::size_t> candidates) const {
    const auto rank = [this](std::size_t candidate) {
      const bool keeps = keeps_limit(candidate);
      const double lost = keeps ? 0 : runs_.mean(candidate, outcome_.selection).vm_loss;
      return std::tuple(!keeps, lost, -runs_.mean_net(candidate, outcome_.selection),
                        !runs_.space().is_for_nova(candidate));
    };
    std::ranges::stable_sort(candidates, {}, rank);
    return candidates;
  }

  void choose() {
    const std::vector<std::size_t> ranked = by_choice(outcome_.complete);
    outcome_.recommendation = ranked.front();
    outcome_.keeps_limit = keeps_limit(outcome_.recommendation);
    const auto cooperates = [this](std::size_t one) { return runs_.space().at(one).cooperates(); };
    const auto best_with = std::ranges::find_if(ranked, cooperates);
    if (best_with != ranked.end()) outcome_.with_cooperation = *best_with;
    const std::vector<std::size_t> compared =
        best(outcome_.complete, outcome_.selection, kFinalists);
    std::set<std::size_t> finalists(compared.begin(), compared.end());
    finalists.insert(outcome_.recommendation);
    outcome_.recommendation_for_nova = first_for_nova(ranked);
    if (const auto nova = outcome_.recommendation_for_nova) finalists.insert(*nova);
    std::ranges::copy_if(ranked, std::back_inserter(outcome_.finalists),
                         [&](std::size_t candidate) { return finalists.contains(candidate); });
  }

  void find_front() {
    const std::vector<std::size_t> ranked = by_choice(outcome_.complete);
    const std::vector<CostAndRevenue> points = means(ranked, outcome_.selection);
    const std::vector<std::size_t> layers = pareto_layers(points);
    std::set<std::pair<double, double>> seen;
    std::vector<std::size_t> front;
    for (std::size_t i = 0; i < ranked.size(); ++i) {
      if (layers[i] != 0 || !seen.emplace(points[i].vm_loss, points[i].spot_share).second) continue;
      front.push_back(ranked[i]);
    }
    outcome_.whole_front = front.size();
    for (const std::size_t position :
         whole_layers(means(front, outcome_.selection), kFrontPoints)) {
      outcome_.front.push_back(front[position]);
    }
  }

  const TuneSettings& settings_;
  TuneRuns& runs_;
  CandidatePool pool_;
  std::optional<std::size_t> budget_;
  TuneOutcome outcome_;
};

}  // namespace

std::size_t most_runs(const CandidateSpace& space, std::size_t parts) {
  const CandidatePool pool = pool_of(space, false);
  const std::size_t bounds = space.size() - pool.candidates.size();
  return most_runs(pool.candidates.size(), pool.without_cooperation.size(), parts, 0) +
         (bounds > 0 ? most_runs(bounds, 0, parts, 0) : 0);
}

TuneOutcome tune(const SampleUse& use, TuneRuns& runs) {
  const TuneSettings& settings = runs.settings();
  require_something_to_set(settings);
  const CandidateSpace& space = runs.space();
  CandidatePool to_set = pool_of(space, false);
  CandidatePool bounds = pool_of(space, true);
  std::optional<std::size_t> budget;
  std::optional<std::size_t> rest;
  if (settings.budget) {  // shared in proportion to the numbers of candidates
    budget = *settings.budget * to_set.candidates.size() / space.size();
    rest = *settings.budget - *budget;
  }
  TuneOutcome outcome = Search(use, runs, std::move(to_set), budget).run();
  if (bounds.candidates.empty()) return outcome;
  outcome.bound = Search(use, runs, std::move(bounds), rest).run_for_best();
  return outcome;
}

}  // namespace cospot
