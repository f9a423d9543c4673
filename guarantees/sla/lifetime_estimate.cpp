#include "guarantees/sla/lifetime_estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "core/errors.hpp"
#include "core/random.hpp"

namespace cospot {

void check_settings(const LifetimeEstimateSettings& settings) {
  if (settings.sizes.empty()) throw ConfigError("no instance sizes to estimate lifetimes for");
  if (settings.samples < 1) throw ConfigError("samples is 0, expected at least 1");
  if (settings.probabilities.empty()) {
    throw ConfigError("no eviction probabilities to estimate lifetimes for");
  }
  for (const double probability : settings.probabilities) {
    if (probability > 0 && probability < 1) continue;
    throw ConfigError(fmt::format(
        "an eviction probability is {}, expected a number between 0 and 1", probability));
  }
  if (!settings.ages.empty() && settings.censored != CensoredLifetime::kSurvival) {
    throw ConfigError("survival to an age is asked for, expected censored: survival");
  }
  if (settings.condition_width >= 0 && settings.condition_width <= 1) return;
  throw ConfigError(fmt::format("condition_width is {}, expected a number from 0 to 1",
                                settings.condition_width));
}

LifetimeEstimate::LifetimeEstimate(const History& history, const LifetimeEstimateSettings& settings,
                                   SimTime from, SimTime now, std::uint64_t refresh,
                                   std::span<const SimTime> earlier)
    : history_(&history),
      settings_(&settings),
      now_(now),
      conditions_(settings.condition_width),
      tables_(settings.sizes.size()) {
  check_settings(settings);
  if (from >= now) {
    throw InputError(fmt::format(
        "the history is too short to estimate lifetimes from: it ends {} s after it starts",
        static_cast<double>((now - from).count()) / 1e6));
  }
  if (settings.samples_accumulate) {
    // Drawn again instead of kept: what became of them is followed up to now.
    for (std::size_t i = 0; i < earlier.size(); ++i) draw_starts(from, earlier[i], i);
  }
  draw_starts(from, now, refresh);
  std::ranges::sort(starts_);
}

void LifetimeEstimate::draw_starts(SimTime from, SimTime until, std::uint64_t refresh) {
  std::size_t samples = settings_->samples;
  if (settings_->samples_are_total) samples = std::max<std::size_t>(1, samples / pieces());
  // Sequences of neighbouring seeds are unrelated; so are those of one seed's refreshes.
  Random random(Random(settings_->seed).next_u64() + refresh);
  const auto span = static_cast<std::uint64_t>((until - from).count());
  for (std::size_t i = 0; i < samples; ++i) {
    starts_.push_back(from + SimTime(static_cast<std::int64_t>(random.below(span))));
  }
}

void LifetimeEstimate::run_piece(std::size_t piece) {
  tables_[piece] = table_of(
      sweep_evictions(*history_, settings_->sizes[piece], starts_, settings_->victim, now_));
}

void LifetimeEstimate::run_piece(std::size_t piece, EvictionSweep& sweep) {
  sweep.run(history_->events(), now_);
  std::vector<FictitiousSpot> fates;
  fates.reserve(places_.size());
  for (const std::uint32_t place : places_) fates.push_back(sweep.fates()[place]);
  tables_[piece] = table_of(fates);
}

void LifetimeEstimate::find_places(std::span<const SimTime> starts) {
  auto at = starts.begin();
  for (const SimTime start : starts_) {
    at = std::lower_bound(at, starts.end(), start);
    places_.push_back(static_cast<std::uint32_t>(at - starts.begin()));
  }
}

namespace {

/// Samples by condition: those of condition i are [first[i], first[i + 1]), in the order of starts.
struct Grouped {
  std::vector<std::uint32_t> samples;
  std::vector<std::uint32_t> first;

  [[nodiscard]] std::size_t conditions() const { return first.size() - 1; }
  [[nodiscard]] std::span<const std::uint32_t> of(std::size_t condition) const {
    return std::span(samples).subspan(first[condition], first[condition + 1] - first[condition]);
  }
};

/// Counts, then puts each sample in its place: no sort.
Grouped group(std::span<const std::size_t> condition_of) {
  const std::size_t conditions = std::ranges::max(condition_of) + 1;
  // One further on: as samples are put there, an end of a condition becomes the start of the next.
  Grouped grouped{.samples = std::vector<std::uint32_t>(condition_of.size()),
                  .first = std::vector<std::uint32_t>(conditions + 2)};
  for (const std::size_t condition : condition_of) ++grouped.first[condition + 2];
  std::partial_sum(grouped.first.begin(), grouped.first.end(), grouped.first.begin());
  for (std::uint32_t i = 0; i < condition_of.size(); ++i) {
    grouped.samples[grouped.first[condition_of[i] + 1]++] = i;
  }
  grouped.first.pop_back();
  return grouped;
}

/// Sorts as much of a sample's lower end as its quantile of `probability` takes.
void sort_up_to(std::span<SimTime> lifetimes, double probability) {
  const double rank = probability * static_cast<double>(lifetimes.size() - 1);
  const std::size_t needed = std::min(lifetimes.size(), static_cast<std::size_t>(rank) + 2);
  const auto end = lifetimes.begin() + static_cast<std::ptrdiff_t>(needed);
  std::nth_element(lifetimes.begin(), end - 1, lifetimes.end());
  std::sort(lifetimes.begin(), end);
}

/// The quantiles of one condition's sample, which is not empty. Args: lifetimes: scratch.
void find_quantiles(std::span<SeenLifetime> sample, const LifetimeEstimateSettings& settings,
                    std::vector<SimTime>& lifetimes, std::vector<SimTime>& quantiles) {
  quantiles.clear();
  if (settings.censored == CensoredLifetime::kSurvival) {
    std::ranges::sort(sample);
    for (const double p : settings.probabilities) quantiles.push_back(survival_quantile(sample, p));
    return;
  }
  lifetimes.clear();
  for (const SeenLifetime& seen : sample) lifetimes.push_back(seen.lifetime);
  sort_up_to(lifetimes, *std::ranges::max_element(settings.probabilities));
  for (const double p : settings.probabilities) {
    quantiles.push_back(quantile(lifetimes, p, settings.quantile));
  }
}

}  // namespace

/// Args: drawn: the samples of one condition, those that are dropped too.
std::vector<ConditionSpell> LifetimeEstimate::spells_of(
    std::span<const std::uint32_t> drawn) const {
  std::vector<ConditionSpell> spells;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const SimTime start = starts_[drawn[i]];
    if (i == 0 || drawn[i] != drawn[i - 1] + 1) spells.push_back({.first = start, .last = start});
    spells.back().last = start;
  }
  return spells;
}

LifetimeQuantiles::Table LifetimeEstimate::table_of(
    const std::vector<FictitiousSpot>& spots) const {
  std::vector<std::size_t> condition_of;
  condition_of.reserve(spots.size());
  for (const FictitiousSpot& spot : spots) condition_of.push_back(conditions_.of(spot.slots));
  const Grouped grouped = group(condition_of);
  LifetimeQuantiles::Table table{
      .observed = {},
      .quantiles = std::vector<std::vector<SimTime>>(settings_->probabilities.size()),
      .samples = {0},
      .survival = std::vector<std::vector<double>>(settings_->ages.size())};
  const CensoredLifetime rule = settings_->censored;
  std::vector<SeenLifetime> sample;
  std::vector<SimTime> scratch;
  std::vector<SimTime> quantiles;
  for (std::size_t condition = 1; condition < grouped.conditions(); ++condition) {
    const std::span<const std::uint32_t> drawn = grouped.of(condition);
    if (drawn.empty()) continue;
    sample.clear();
    for (const std::uint32_t i : drawn) {
      const bool is_censored = spots[i].lifetime == kNever;
      if (is_censored && rule == CensoredLifetime::kDropped) continue;
      const bool so_far = is_censored && rule != CensoredLifetime::kForever;
      sample.push_back(
          {.lifetime = so_far ? now_ - starts_[i] : spots[i].lifetime, .is_censored = is_censored});
    }
    if (sample.empty()) continue;
    table.samples.resize(condition + 1);
    table.samples.back() = static_cast<std::uint32_t>(sample.size());
    if (sample.size() < settings_->least_samples) continue;  // counts as not observed
    table.observed.push_back(condition);
    find_quantiles(sample, *settings_, scratch, quantiles);
    for (std::size_t p = 0; p < quantiles.size(); ++p) table.quantiles[p].push_back(quantiles[p]);
    for (std::size_t age = 0; age < table.survival.size(); ++age) {
      table.survival[age].push_back(survival_at(sample, settings_->ages[age]).share);
    }
    if (settings_->keeps_spells) table.spells.push_back(spells_of(drawn));
  }
  return table;
}

LifetimeQuantiles LifetimeEstimate::result() const { return LifetimeEstimate(*this).take_result(); }

LifetimeQuantiles LifetimeEstimate::take_result() {
  LifetimeQuantiles quantiles(settings_->probabilities, conditions_, now_);
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    quantiles.set(settings_->sizes[i], std::move(tables_[i]));
  }
  return quantiles;
}

LifetimeQuantiles estimate_lifetimes(const History& history,
                                     const LifetimeEstimateSettings& settings, SimTime from,
                                     SimTime now, std::uint64_t refresh) {
  LifetimeEstimate estimate(history, settings, from, now, refresh);
  for (std::size_t piece = 0; piece < estimate.pieces(); ++piece) estimate.run_piece(piece);
  return estimate.result();
}

}  // namespace cospot
