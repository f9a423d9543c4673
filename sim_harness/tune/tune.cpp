#include "sim_harness/tune/tune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "core/errors.hpp"
#include "core/random.hpp"

namespace cospot {
namespace {

/// Of the candidates of a round, one in so many goes on.
constexpr std::size_t kKeepOneIn = 3;
/// Never fewer finalists, if there are so many candidates.
constexpr std::size_t kFinalists = 15;
/// The advice and that for Nova are among the finalists, if need be beyond their number.
constexpr std::size_t kAdvices = 2;
/// Never fewer places for Pareto layers: one sample says little of which settings a front has.
constexpr std::size_t kLayerPlaces = 30;
/// So many points of the front are judged at most.
constexpr std::size_t kFrontPoints = 40;
/// How many candidates a round keeps by the limit of VM loss.
std::size_t kept(std::size_t candidates) {
  return std::min(candidates, std::max(kFinalists, (candidates + kKeepOneIn - 1) / kKeepOneIn));
}

/// How many places a round has for Pareto layers, beside so many that it keeps by the limit.
std::size_t layer_places(std::size_t by_limit) { return std::max(by_limit, kLayerPlaces); }

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

/// At most: the finalists and the front run on the held-out samples, and so does the baseline of
/// the advice, which may have no runs yet.
std::size_t runs_of(const std::vector<TuneRound>& rounds, std::size_t held_out) {
  std::size_t runs = 0;
  std::size_t samples = 0;
  for (const TuneRound& round : rounds) {
    runs += round.candidates * (round.samples - samples);
    samples = round.samples;
  }
  const std::size_t judged =
      std::min(rounds.back().candidates, kFinalists + kAdvices + kFrontPoints);
  return runs + judged * held_out + samples + held_out;
}

/// The candidates of the first round, ascending: all, or those the budget allows.
std::vector<std::size_t> first_candidates(const TuneSettings& settings, std::size_t all,
                                          std::size_t selection, std::size_t held_out) {
  std::size_t count = all;
  if (settings.budget) {
    const auto cost = [&](std::size_t n) { return runs_of(plan_rounds(n, selection), held_out); };
    while (count > 0 && cost(count) > *settings.budget) --count;
    if (count == 0) {
      throw ConfigError(fmt::format("a budget of {} runs is too small: one candidate takes {}",
                                    *settings.budget, cost(1)));
    }
  }
  std::vector<std::size_t> candidates(all);
  std::iota(candidates.begin(), candidates.end(), std::size_t{0});
  Random random(settings.seed);
  for (std::size_t i = 0; i < count && count < all; ++i) {
    std::swap(candidates[i], candidates[i + random.below(all - i)]);
  }
  candidates.resize(count);
  std::ranges::sort(candidates);
  return candidates;
}

class Search {
 public:
  Search(const TuneSettings& settings, const std::vector<bool>& held_out, TuneRuns& runs)
      : settings_(settings), runs_(runs) {
    for (std::size_t i = 0; i < held_out.size(); ++i) {
      (held_out[i] ? outcome_.held_out : outcome_.selection).push_back(i);
    }
  }

  TuneOutcome run() {
    std::vector<std::size_t> candidates = first_candidates(
        settings_, runs_.space().size(), outcome_.selection.size(), outcome_.held_out.size());
    outcome_.rounds = plan_rounds(candidates.size(), outcome_.selection.size());
    const std::vector<TuneRound> plan = outcome_.rounds;
    for (std::size_t round = 0; round < outcome_.rounds.size(); ++round) {
      const auto samples = std::span(outcome_.selection).first(outcome_.rounds[round].samples);
      runs_.simulate(candidates, samples);
      outcome_.rounds[round].candidates = candidates.size();
      if (round + 1 < plan.size()) {
        candidates = survivors(candidates, samples, plan[round + 1].by_limit);
      }
    }
    outcome_.complete = candidates;
    choose();
    find_front();
    runs_.simulate(outcome_.finalists, outcome_.held_out);
    runs_.simulate(outcome_.front, outcome_.held_out);
    if (const auto baseline = runs_.space().baseline_of(outcome_.advice)) {
      const std::size_t one[] = {*baseline};
      runs_.simulate(one, outcome_.selection);
      runs_.simulate(one, outcome_.held_out);
    }
    return outcome_;
  }

 private:
  std::vector<CostAndRevenue> means(std::span<const std::size_t> candidates,
                                    std::span<const std::size_t> samples) const {
    std::vector<CostAndRevenue> points;
    for (const std::size_t candidate : candidates) {
      points.push_back(runs_.mean(candidate, samples));
    }
    return points;
  }

  [[nodiscard]] bool is_for_nova(std::size_t candidate) const {
    return cospot::is_for_nova(settings_, runs_.space().at(candidate));
  }

  /// Those that exceed the limit of VM loss on the fewest samples, by revenue.
  [[nodiscard]] std::vector<std::size_t> by_limit(std::vector<std::size_t> candidates,
                                                  std::span<const std::size_t> samples) const {
    const auto rank = [&](std::size_t candidate) {
      return std::tuple(samples_over_limit(candidate, samples),
                        -runs_.mean(candidate, samples).spot_share);
    };
    std::ranges::stable_sort(candidates, {}, rank);
    return candidates;
  }

  /// The same candidates, the best of every VM policy in turn: a VM policy that has luck on the
  /// first sample must not drive out the others.
  [[nodiscard]] std::vector<std::size_t> in_turn(const std::vector<std::size_t>& ranked) const {
    std::vector<std::size_t> taken(settings_.vm.size(), 0);
    std::vector<std::size_t> order = ranked;
    std::map<std::size_t, std::size_t> turn;  // of each candidate
    for (const std::size_t candidate : ranked) {
      turn[candidate] = taken[runs_.space().at(candidate).vm]++;
    }
    std::ranges::stable_sort(order, {}, [&](std::size_t candidate) { return turn[candidate]; });
    return order;
  }

  /// Who goes on: `count` by the limit, and whole Pareto layers, by which the front is found
  /// whatever the limit is.
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
    const std::vector<std::size_t> ranked = in_turn(by_limit(candidates, samples));
    std::set<std::size_t> chosen;
    const auto take = [&](std::size_t most, const auto& is_wanted) {
      for (const std::size_t candidate : ranked) {
        if (chosen.size() >= most) break;
        if (is_wanted(candidate)) chosen.insert(candidate);
      }
    };
    const auto any = [](std::size_t) { return true; };
    take(count / 3, [this](std::size_t candidate) { return is_for_nova(candidate); });
    take(2 * count / 3, any);
    const std::vector<CostAndRevenue> points = means(candidates, samples);
    for (const std::size_t position : best_by_layer(points, count - chosen.size())) {
      chosen.insert(candidates[position]);
    }
    take(count, any);
    return {chosen.begin(), chosen.end()};
  }

  [[nodiscard]] std::size_t samples_over_limit(std::size_t candidate,
                                               std::span<const std::size_t> samples) const {
    return static_cast<std::size_t>(std::ranges::count_if(samples, [&](std::size_t sample) {
      return runs_.point(candidate, sample).vm_loss > settings_.max_vm_loss;
    }));
  }
  [[nodiscard]] bool keeps_limit(std::size_t candidate) const {
    return samples_over_limit(candidate, outcome_.selection) == 0;
  }

  /// First those that keep the limit, by revenue; then the others, by what they lose.
  [[nodiscard]] std::vector<std::size_t> by_choice(std::vector<std::size_t> candidates) const {
    const auto rank = [this](std::size_t candidate) {
      const CostAndRevenue point = runs_.mean(candidate, outcome_.selection);
      const bool keeps = keeps_limit(candidate);
      return std::tuple(!keeps, keeps ? 0 : point.vm_loss, -point.spot_share);
    };
    std::ranges::stable_sort(candidates, {}, rank);
    return candidates;
  }

  void choose() {
    const std::vector<std::size_t> ranked = by_choice(outcome_.complete);
    outcome_.advice = ranked.front();
    outcome_.keeps_limit = keeps_limit(outcome_.advice);
    const std::vector<std::size_t> compared =
        best(outcome_.complete, outcome_.selection, kFinalists);
    std::set<std::size_t> finalists(compared.begin(), compared.end());
    finalists.insert(outcome_.advice);
    const auto nova = std::ranges::find_if(
        ranked, [this](std::size_t candidate) { return is_for_nova(candidate); });
    if (nova != ranked.end()) {
      outcome_.advice_for_nova = *nova;
      finalists.insert(*nova);
    }
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
  TuneOutcome outcome_;
};

}  // namespace

bool is_for_nova(const TuneSettings& settings, const RunCoordinates& candidate) {
  const std::string& evictor = settings.evictors[candidate.evictor].name;
  return settings.otn[candidate.otn].kind() == OfferRule::Kind::kTopN &&
         (evictor == "FIFO" || evictor == "YJF");
}

TuneOutcome tune(const TuneSettings& settings, const std::vector<bool>& held_out, TuneRuns& runs) {
  return Search(settings, held_out, runs).run();
}

std::vector<TuneOutcome> cross_validate(const TuneSettings& settings,
                                        std::span<const std::size_t> fold_of, TuneRuns& runs) {
  const std::size_t folds = fold_of.empty() ? 0 : std::ranges::max(fold_of) + 1;
  if (folds < 2) throw ConfigError("cross-validation needs two folds or more");
  std::vector<TuneOutcome> outcomes;
  for (std::size_t fold = 0; fold < folds; ++fold) {
    std::vector<bool> held_out;
    for (const std::size_t of : fold_of) held_out.push_back(of == fold);
    outcomes.push_back(tune(settings, held_out, runs));
  }
  return outcomes;
}

}  // namespace cospot
