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

/// The value at a condition, from those at the observed ones; `none` is that of condition 0.
template <class Value>
Value value_at(std::size_t condition, std::span<const std::size_t> observed,
               std::span<const Value> values, Value none, const SlotConditions& conditions) {
  if (condition == 0 || observed.empty()) return none;
  const auto above = std::ranges::lower_bound(observed, condition);
  if (above == observed.end()) return values.back();
  const auto at = static_cast<std::size_t>(above - observed.begin());
  if (*above == condition) return values[at];
  const std::size_t below = at > 0 ? observed[at - 1] : 0;
  return on_line(conditions.first_slots(condition), conditions.first_slots(below),
                 at > 0 ? values[at - 1] : none, conditions.first_slots(*above), values[at]);
}

}  // namespace

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

std::vector<std::vector<SimTime>> LifetimeQuantiles::by_condition(const Table& table) const {
  const std::size_t conditions = table.observed.empty() ? 1 : table.observed.back() + 1;
  std::vector<std::vector<SimTime>> all;
  for (const std::vector<SimTime>& known : table.quantiles) {
    std::vector<SimTime>& values = all.emplace_back();
    while (values.size() < conditions) {
      values.push_back(
          value_at<SimTime>(values.size(), table.observed, known, kNoPromise, conditions_));
    }
  }
  return all;
}

std::optional<double> LifetimeQuantiles::survival(const ResourceVector& size, std::int64_t slots,
                                                  std::size_t age) const {
  const Table* sized = table(size);
  if (sized == nullptr || slots <= 0 || sized->observed.empty()) return std::nullopt;
  return value_at<double>(conditions_.of(slots), sized->observed, sized->survival[age], 0,
                          conditions_);
}

SimTime LifetimeQuantiles::observed(const ResourceVector& size, std::int64_t slots,
                                    std::uint64_t times) const {
  const Table* sized = table(size);
  if (sized == nullptr || slots <= 0 || times == 0 || sized->spells.empty()) return SimTime{0};
  const std::vector<std::size_t>& observed = sized->observed;
  const auto longest = [&](std::size_t position) {
    const std::vector<ConditionSpell>& spells = sized->spells[position];
    if (sized->samples[observed[position]] < times) return SimTime{0};
    SimTime enough{0};  // was observed so many times
    SimTime too_long = made_at_ - spells.front().first + SimTime(1);
    while (too_long - enough > SimTime(1)) {
      const SimTime middle = enough + (too_long - enough) / 2;
      (separate_starts(spells, middle, made_at_) >= times ? enough : too_long) = middle;
    }
    return enough;
  };
  const std::size_t condition = conditions_.of(slots);
  const auto above =
      static_cast<std::size_t>(std::ranges::lower_bound(observed, condition) - observed.begin());
  if (above == observed.size()) return longest(above - 1);
  const SimTime found = longest(above);
  return above == 0 || observed[above] == condition ? found : std::min(found, longest(above - 1));
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
  const auto position = static_cast<std::size_t>(found - probabilities_.begin());
  return value_at<SimTime>(conditions_.of(slots), sized->observed, sized->quantiles[position],
                           kNoPromise, conditions_);
}

}  // namespace cospot
