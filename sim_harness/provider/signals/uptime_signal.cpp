#include "sim_harness/provider/signals/uptime_signal.hpp"

#include <algorithm>
#include <utility>

#include "guarantees/sla/lifetime_estimate.hpp"
#include "sim_harness/base/interrupt/stop_token.hpp"

namespace cospot {
namespace {

constexpr SimTime kRefreshEveryHours = std::chrono::hours(6);
constexpr std::size_t kFictitiousSpots = 2'000;
constexpr double kSlotsWidth = 0.1;

constexpr std::uint64_t kAllSpots = 0;

/// The rate of MixedForecast: one burst of evictions decides a hundred cases and more.
constexpr double kMixRate = 0.01;

constexpr std::array kUsualAgeHours{1,  2,  3,  4,  6,   8,   12,  16, 24,
                                    36, 48, 72, 96, 120, 168, 336, 720};

}  // namespace

UptimeSignal::UptimeSignal(const std::vector<SimTime>& spans, std::size_t folds,
                           std::vector<ResourceVector> host_totals)
    : spans_(spans),
      history_(std::move(host_totals)),
      next_refresh_(kRefreshEveryHours),
      open_(spans.size()),
      mixes_(spans.size(), Mix(kMixRate)),
      scores_(spans.size(), ForecastScore(folds)) {
  for (const int hours : kUsualAgeHours) spans_.emplace_back(std::chrono::hours(hours));
}

UptimeSignal::Group UptimeSignal::group_of_flavor(std::size_t pool) { return (1U << 16U) | pool; }

UptimeSignal::Group UptimeSignal::group_of(FeatureBin fullness) {
  return (std::uint64_t{2} << 16U) | fullness;
}

UptimeSignal::Group UptimeSignal::group_of(FeatureBin fullness, std::size_t pool) {
  return (std::uint64_t{pool + 1} << 32U) | group_of(fullness);
}

void UptimeSignal::placed(std::size_t number, const SpotLife& life, const MarketState& state,
                          SimTime wanted_end) {
  fullness_.resize(number + 1);
  fullness_[number] = state.fullness;
  for (std::size_t span = 0; span < open_.size(); ++span) {
    const SimTime due = life.placed_at + spans_[span];
    if (wanted_end < due) continue;  // nobody would know
    if (curves_.empty()) continue;
    const Ways ways = ways_of(life.pool, state, span);
    open_[span].push_back({.life = number,
                           .due = due,
                           .fold = state.fold,
                           .forecast = mixes_[span].mix(ways),
                           .reference = base_rate(life.pool, span),
                           .ways = ways});
  }
}

void UptimeSignal::settle(SimTime now, const SpotLives& lives) {
  for (std::size_t span = 0; span < open_.size(); ++span) {
    std::deque<Case>& open = open_[span];
    for (; !open.empty() && open.front().due <= now; open.pop_front()) {
      const Case& one = open.front();
      const SpotLife& life = lives.all()[one.life];
      const bool is_evicted = life.is_evicted_before(one.due);
      // With its host, or because it was stopped: nobody knows when it would have been evicted.
      if (!is_evicted && life.ended_at < one.due) continue;
      if (one.fold) scores_[span].add(*one.fold, one.forecast, one.reference, !is_evicted);
      mixes_[span].learn(one.ways, !is_evicted);
    }
  }
}

void UptimeSignal::refresh(const SpotLives& lives, const MarketState& state) {
  if (state.now < next_refresh_ || open_.empty()) return;
  while (next_refresh_ <= state.now) next_refresh_ += kRefreshEveryHours;
  if (lives.all().empty()) return;
  estimate_from_fictitious(state);
  estimate_from_lives(lives, state.now);
  recent_.see(lives, state.now);
}

void UptimeSignal::estimate_from_fictitious(const MarketState& state) {
  LifetimeEstimateSettings settings{
      .sizes = {},
      .probabilities = {kProbabilities.front()},  // one at least; the curve is what counts
      .samples = kFictitiousSpots,
      .censored = CensoredLifetime::kSurvival,
      .condition_width = kSlotsWidth,
      .ages = spans_};
  for (const SpotPool& pool : state.pools.pools()) {
    if (pool.zone.empty()) settings.sizes.push_back(pool.size);
  }
  LifetimeEstimate estimate(history_, settings, SimTime{0}, state.now, 0);
  const StopToken stop = current_stop_token();
  for (std::size_t piece = 0; piece < estimate.pieces(); ++piece) {
    stop.check();
    estimate.run_piece(piece);
  }
  fictitious_ = estimate.result();
}

void UptimeSignal::estimate_from_lives(const SpotLives& lives, SimTime now) {
  std::map<Group, std::vector<SeenLifetime>> seen;
  for (std::size_t number = 0; number < lives.all().size(); ++number) {
    const SpotLife& life = lives.all()[number];
    if (life.placed_at < SimTime{0}) continue;  // while an empty datacenter was filled
    const SeenLifetime one{.lifetime = std::min(life.ended_at, now) - life.placed_at,
                           .is_censored = !life.is_evicted};
    for (const Group group : {kAllSpots, group_of_flavor(life.pool), group_of(fullness_[number]),
                              group_of(fullness_[number], life.pool)}) {
      seen[group].push_back(one);
    }
  }
  curves_.clear();
  for (auto& [group, lifetimes] : seen) {
    std::ranges::sort(lifetimes);
    Curve& curve = curves_[group];
    for (const SimTime span : spans_) curve.push_back(survival_at(lifetimes, span));
  }
}

double UptimeSignal::drawn(Group group, std::size_t span, double outer, double weight) const {
  const auto found = curves_.find(group);
  if (found == curves_.end()) return outer;
  const SurvivalAt& of = found->second[span];
  const auto known = static_cast<double>(of.known);
  return (known * of.share + weight * outer) / (known + weight);
}

double UptimeSignal::base_rate(std::size_t pool, std::size_t span) const {
  const double all = drawn(kAllSpots, span, BaseRate::kNothingKnown, 1);
  return drawn(group_of_flavor(pool), span, all, kShrinkWeight);
}

UptimeSignal::Ways UptimeSignal::ways_of(std::size_t pool, const MarketState& state,
                                         std::size_t span) const {
  const double base = base_rate(pool, span);
  const double fictitious =
      fictitious_.survival(state.pools.pools()[pool].size, state.pools.slots(pool), span)
          .value_or(base);
  const auto by_groups = [&](double outer, double weight) {
    const double as_full = drawn(group_of(state.fullness), span, outer, weight);
    return drawn(group_of(state.fullness, pool), span, as_full, weight);
  };
  const double recent = recent_.survives(pool, spans_[span]);
  return {recent,
          base,
          fictitious,
          by_groups(recent, kStrongShrinkWeight),
          by_groups(base, kStrongShrinkWeight),
          by_groups(fictitious, kStrongShrinkWeight),
          by_groups(recent, kShrinkWeight),
          by_groups(base, kShrinkWeight),
          by_groups(fictitious, kShrinkWeight)};
}

const UptimeSignal::Mix& UptimeSignal::mix_for(std::size_t span) const {
  const auto distance = [&](std::size_t scored) {
    return spans_[scored] > spans_[span] ? spans_[scored] - spans_[span]
                                         : spans_[span] - spans_[scored];
  };
  std::size_t nearest = 0;
  for (std::size_t scored = 1; scored < mixes_.size(); ++scored) {
    if (distance(scored) < distance(nearest)) nearest = scored;
  }
  return mixes_[nearest];
}

std::optional<double> UptimeSignal::survives(std::size_t pool, const MarketState& state,
                                             std::size_t span) const {
  if (curves_.empty()) return std::nullopt;
  return mix_for(span).mix(ways_of(pool, state, span));
}

SimTime UptimeSignal::lifetime(std::size_t pool, const MarketState& state, std::size_t i) const {
  if (curves_.empty() || state.pools.slots(pool) <= 0) return kNoPromise;
  SimTime longest{0};
  for (std::size_t span = open_.size(); span < spans_.size(); ++span) {
    if (2 * spans_[span] > state.now) break;
    const std::optional<double> share = survives(pool, state, span);
    if (!share || *share < 1 - kProbabilities[i]) break;
    longest = spans_[span];
  }
  return longest;
}

}  // namespace cospot
