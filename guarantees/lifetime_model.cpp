#include "guarantees/lifetime_model.hpp"

#include <algorithm>
#include <utility>

#include "core/portable_math.hpp"

namespace cospot {
namespace {

constexpr SimTime kHour = std::chrono::hours(1);
constexpr std::int64_t kDaysOfWeek = 7;

std::int64_t floor_divide(std::int64_t value, std::int64_t by) {
  return value / by - (value % by < 0 ? 1 : 0);
}

std::span<const double> row_of(const std::vector<double>& rows, std::size_t row,
                               std::size_t hidden) {
  return std::span(rows).subspan(row * hidden, hidden);
}

}  // namespace

LifetimeModel::LifetimeModel(LifetimeNetwork network)
    : network_(std::move(network)), grid_(network_.interval_ends) {}

LifetimeInputs LifetimeModel::inputs_of(const SpotTraits& traits) const {
  const auto flavor = std::ranges::find(network_.flavors, traits.resources);
  const std::int64_t day = floor_divide(traits.requested_at.count(), kDay.count());
  const SimTime time_of_day = traits.requested_at - day * kDay;
  std::size_t previous = network_.previous_ends.size() + 1;
  if (traits.previous_lifetime != kNever) {
    const auto& ends = network_.previous_ends;
    previous = static_cast<std::size_t>(
        std::upper_bound(ends.begin(), ends.end(), traits.previous_lifetime) - ends.begin());
  }
  return {.flavor = static_cast<std::uint32_t>(flavor - network_.flavors.begin()),
          .hour = static_cast<std::uint32_t>(time_of_day / kHour),
          .weekday = static_cast<std::uint32_t>(day - floor_divide(day, kDaysOfWeek) * kDaysOfWeek),
          .previous = static_cast<std::uint32_t>(previous)};
}

std::vector<double> LifetimeModel::hazards_of(const LifetimeInputs& inputs) const {
  const std::size_t hidden = network_.hidden();
  std::vector<double> sums = network_.hidden_bias;
  const auto add = [&](const std::vector<double>& rows, std::size_t row) {
    const std::span<const double> weights = row_of(rows, row, hidden);
    for (std::size_t unit = 0; unit < hidden; ++unit) sums[unit] += weights[unit];
  };
  add(network_.flavor_rows, inputs.flavor);
  add(network_.hour_rows, inputs.hour);
  add(network_.weekday_rows, inputs.weekday);
  add(network_.previous_rows, inputs.previous);

  std::vector<double> by_age(network_.age_inputs());
  for (std::size_t age = 0; age < by_age.size(); ++age) {
    const std::span<const double> weights = row_of(network_.age_rows, age, hidden);
    double output = network_.output_bias;
    for (std::size_t unit = 0; unit < hidden; ++unit) {
      output += std::max(sums[unit] + weights[unit], 0.0) * network_.output_weights[unit];
    }
    by_age[age] = 1 / (1 + portable_exp(-output));
  }
  std::vector<double> hazards;
  hazards.reserve(network_.interval_inputs.size());
  for (const std::uint32_t input : network_.interval_inputs) hazards.push_back(by_age[input]);
  return hazards;
}

void LifetimeModel::fill_curve(const LifetimeInputs& inputs, std::span<LifePoint> points) const {
  fill_life_curve(grid_, hazards_of(inputs), points);
}

}  // namespace cospot
