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
/// How many candidates a round keeps.
std::size_t kept(std::size_t candidates) {
  return std::min(candidates, std::max(kFinalists, (candidates + kKeepOneIn - 1) / kKeepOneIn));
}

/// The rounds for `first` candidates: samples double until all are in use.
std::vector<TuneRound> plan_rounds(std::size_t first, std::size_t selection_samples) {
  std::vector<TuneRound> rounds{{.candidates = first, .samples = 1}};
  while (rounds.back().samples < selection_samples) {
    rounds.push_back({.candidates = kept(rounds.back().candidates),
                      .samples = std::min(2 * rounds.back().samples, selection_samples)});
  }
  return rounds;
}

/// At most: the finalists run on the held-out samples, and so does the baseline of the advice,
/// which may have no runs yet.
std::size_t runs_of(const std::vector<TuneRound>& rounds, std::size_t held_out) {
  std::size_t runs = 0;
  std::size_t samples = 0;
  for (const TuneRound& round : rounds) {
    runs += round.candidates * (round.samples - samples);
    samples = round.samples;
  }
  const std::size_t finalists = std::min(rounds.back().candidates, kFinalists);
  return runs + finalists * held_out + samples + held_out;
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
  Search(const TuneSettings& settings, std::span<const TuneSample> samples, TuneRuns& runs)
      : settings_(settings), runs_(runs) {
    for (std::size_t i = 0; i < samples.size(); ++i) {
      (samples[i].is_held_out ? outcome_.held_out : outcome_.selection).push_back(i);
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
      const bool is_last = round + 1 == plan.size();
      candidates = best(candidates, samples, is_last ? kFinalists : plan[round + 1].candidates);
    }
    choose(candidates);
    runs_.simulate(outcome_.finalists, outcome_.held_out);
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

  /// Who goes on: a third by the limit of VM loss, another by Pareto layers, so that there is a
  /// front to show, and another by the limit among those that Nova can be set to.
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

  void choose(const std::vector<std::size_t>& finalists) {
    const std::vector<CostAndRevenue> points = means(finalists, outcome_.selection);
    const std::vector<std::size_t> layers = pareto_layers(points);
    std::vector<std::size_t> order(finalists.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    // First those that keep the limit, by revenue; then the others, by what they lose.
    const auto rank = [&](std::size_t i) {
      const bool keeps = keeps_limit(finalists[i]);
      return std::tuple(!keeps, keeps ? 0 : points[i].vm_loss, -points[i].spot_share);
    };
    std::ranges::stable_sort(order, {}, rank);
    for (const std::size_t i : order) {
      outcome_.finalists.push_back(finalists[i]);
      if (layers[i] == 0) outcome_.front.push_back(finalists[i]);
      if (!outcome_.advice_for_nova && is_for_nova(finalists[i])) {
        outcome_.advice_for_nova = finalists[i];
      }
    }
    outcome_.advice = outcome_.finalists.front();
    outcome_.keeps_limit = keeps_limit(outcome_.advice);
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

TuneOutcome tune(const TuneSettings& settings, std::span<const TuneSample> samples,
                 TuneRuns& runs) {
  return Search(settings, samples, runs).run();
}

}  // namespace cospot
