#include "guarantees/sla/lifetime_quantiles.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/errors.hpp"
#include "core/portable_math.hpp"

namespace cospot {

std::int64_t SlotConditions::exact_up_to() const {
  return static_cast<std::int64_t>(std::ceil(1 / width_));
}

std::size_t SlotConditions::of(std::int64_t slots) const {
  if (width_ <= 0 || slots <= exact_up_to()) return static_cast<std::size_t>(slots);
  const double ratio = static_cast<double>(slots) / static_cast<double>(exact_up_to());
  const double steps = portable_log(ratio) / portable_log(1 + width_);
  return static_cast<std::size_t>(exact_up_to()) + static_cast<std::size_t>(steps);
}

std::int64_t SlotConditions::next_after(std::int64_t slots) const {
  const std::size_t condition = of(slots);
  // A least count that is nearly whole may be rounded either way.
  auto next = std::max(slots + 1, static_cast<std::int64_t>(first_slots(condition + 1)));
  while (of(next) == condition) ++next;
  return next;
}

double SlotConditions::first_slots(std::size_t condition) const {
  const auto number = static_cast<double>(condition);
  if (width_ <= 0 || number <= static_cast<double>(exact_up_to())) return number;
  const auto exact = static_cast<double>(exact_up_to());
  return exact * portable_exp((number - exact) * portable_log(1 + width_));
}

SimTime quantile(std::span<const SimTime> sorted, double probability, QuantileKind kind) {
  const double rank = probability * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const double fraction = rank - static_cast<double>(below);
  const SimTime lower = sorted[below];
  if (kind == QuantileKind::kLower || fraction <= 0) return lower;
  const SimTime upper = sorted[below + 1];
  if (upper == kNever) return lower;
  const auto span = static_cast<double>((upper - lower).count());
  return lower + SimTime(static_cast<std::int64_t>(fraction * span));
}

SimTime survival_quantile(std::span<const SeenLifetime> sorted, double probability) {
  double survival = 1;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i].is_censored) continue;
    survival *= 1 - 1 / static_cast<double>(sorted.size() - i);
    if (survival <= 1 - probability) return sorted[i].lifetime;
  }
  return sorted.back().lifetime;
}

SurvivalAt survival_at(std::span<const SeenLifetime> sorted, SimTime age) {
  SurvivalAt at;
  std::size_t i = 0;
  for (; i < sorted.size() && sorted[i].lifetime < age; ++i) {
    if (sorted[i].is_censored) continue;
    at.share *= 1 - 1 / static_cast<double>(sorted.size() - i);
    ++at.known;
  }
  at.known += sorted.size() - i;
  return at;
}

namespace {

/// The value at `at` of the line from (x1, y1) to (x2, y2).
SimTime on_line(double at, double x1, SimTime y1, double x2, SimTime y2) {
  if (y1 == kNever || y2 == kNever) return std::min(y1, y2);
  const auto rise = static_cast<double>((y2 - y1).count());
  return y1 + SimTime(static_cast<std::int64_t>(std::floor(rise * (at - x1) / (x2 - x1))));
}

double on_line(double at, double x1, double y1, double x2, double y2) {
  return y1 + (at - x1) / (x2 - x1) * (y2 - y1);
}

template <class Value>
std::vector<Value> repaired_from(Value none, std::span<const std::optional<Value>> known,
                                 const SlotConditions& conditions) {
  std::vector<Value> values{none};
  values.reserve(known.size());
  std::size_t last_known = 0;
  const bool each_count = conditions.width() <= 0;
  for (std::size_t i = 1; i < known.size(); ++i) {
    if (!known[i]) continue;
    const double from = conditions.first_slots(last_known);
    const double to = conditions.first_slots(i);
    for (std::size_t gap = last_known + 1; gap < i; ++gap) {
      const double at = each_count ? static_cast<double>(gap) : conditions.first_slots(gap);
      values.push_back(on_line(at, from, values[last_known], to, *known[i]));
    }
    values.push_back(*known[i]);
    last_known = i;
  }
  return values;
}

}  // namespace

std::vector<SimTime> repaired(std::span<const std::optional<SimTime>> known,
                              const SlotConditions& conditions) {
  return repaired_from(kNoPromise, known, conditions);
}

std::vector<double> repaired(std::span<const std::optional<double>> known,
                             const SlotConditions& conditions) {
  return repaired_from(0.0, known, conditions);
}

std::uint64_t separate_starts(std::span<const ConditionSpell> spells, SimTime lifetime,
                              SimTime now) {
  std::uint64_t starts = 0;
  SimTime next = SimTime::min();
  for (const ConditionSpell& spell : spells) {
    const SimTime first = std::max(spell.first, next);
    const SimTime last = std::min(spell.last, now - lifetime);
    if (first > last) continue;
    const std::int64_t more = (last - first) / lifetime + 1;
    starts += static_cast<std::uint64_t>(more);
    next = first + more * lifetime;
  }
  return starts;
}

void LifetimeQuantiles::set(const ResourceVector& size, Table table) {
  tables_.insert_or_assign(size, std::move(table));
}

const LifetimeQuantiles::Table* LifetimeQuantiles::table(const ResourceVector& size) const {
  const auto found = tables_.find(size);
  return found == tables_.end() ? nullptr : &found->second;
}

std::optional<double> LifetimeQuantiles::survival(const ResourceVector& size, std::int64_t slots,
                                                  std::size_t age) const {
  const Table* sized = table(size);
  if (sized == nullptr || slots <= 0) return std::nullopt;
  const std::vector<double>& by_condition = sized->survival[age];
  if (by_condition.size() < 2) return std::nullopt;  // no condition was seen
  return by_condition[std::min(conditions_.of(slots), by_condition.size() - 1)];
}

SimTime LifetimeQuantiles::observed(const ResourceVector& size, std::int64_t slots,
                                    std::uint64_t times) const {
  const Table* sized = table(size);
  if (sized == nullptr || slots <= 0 || times == 0 || sized->spells.size() < 2) return SimTime{0};
  const auto longest = [&](std::size_t condition) {
    const std::vector<ConditionSpell>& spells = sized->spells[condition];
    if (sized->samples[condition] < times) return SimTime{0};
    SimTime enough{0};  // was observed so many times
    SimTime too_long = made_at_ - spells.front().first + SimTime(1);
    while (too_long - enough > SimTime(1)) {
      const SimTime middle = enough + (too_long - enough) / 2;
      (separate_starts(spells, middle, made_at_) >= times ? enough : too_long) = middle;
    }
    return enough;
  };
  const auto is_observed = [&](std::size_t condition) { return !sized->spells[condition].empty(); };
  const std::size_t here = std::min(conditions_.of(slots), sized->spells.size() - 1);
  std::size_t below = here;
  while (below > 0 && !is_observed(below)) --below;
  std::size_t above = here;
  while (above < sized->spells.size() && !is_observed(above)) ++above;
  SimTime found = kNever;
  if (below > 0) found = longest(below);
  if (above < sized->spells.size() && above != below) found = std::min(found, longest(above));
  return found == kNever ? SimTime{0} : found;
}

SimTime LifetimeQuantiles::promised(const ResourceVector& size, std::int64_t slots,
                                    double eviction_probability) const {
  const auto found = std::ranges::find(probabilities_, eviction_probability);
  if (found == probabilities_.end()) {
    throw ConfigError(
        fmt::format("no quantiles were made for the eviction probability {}; made: {}",
                    eviction_probability, fmt::join(probabilities_, ", ")));
  }
  const Table* sized = table(size);
  if (sized == nullptr || slots <= 0) return kNoPromise;
  const auto& by_condition =
      sized->quantiles[static_cast<std::size_t>(found - probabilities_.begin())];
  return by_condition[std::min(conditions_.of(slots), by_condition.size() - 1)];
}

}  // namespace cospot
