#include "tests/cpp/reference_lifetimes.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "guarantees/lifetime_model_file.hpp"

namespace cospot::reference {
namespace {

/// Where an arrival or a departure stands among all events: by time; departures first, but that of
/// an instance of length zero after the arrival; otherwise in file order.
using Place = std::tuple<SimTime, int, InstanceIndex, int>;

Place arrival_place(const WorkloadRow& row, InstanceIndex i) { return {row.start, 1, i, 0}; }
Place departure_place(const WorkloadRow& row, InstanceIndex i) {
  return row.end == row.start ? Place{row.end, 1, i, 1} : Place{row.end, 0, i, 0};
}

LifetimeInputs inputs_of(const LifetimeNetwork& network, const Workload& workload,
                         InstanceIndex spot) {
  const WorkloadRow& row = workload.rows[spot];
  LifetimeInputs inputs;
  while (inputs.flavor < network.flavors.size() &&
         !(network.flavors[inputs.flavor] == row.resources)) {
    ++inputs.flavor;
  }
  // Hours since 1,000 weeks before the window.
  const auto hours = std::chrono::floor<std::chrono::hours>(row.start).count() + 168'000;
  inputs.hour = static_cast<std::uint32_t>(hours % 24);
  inputs.weekday = static_cast<std::uint32_t>(hours / 24 % 7);
  const SimTime previous = previous_lifetime(workload, spot);
  for (const SimTime end : network.previous_ends) inputs.previous += previous >= end ? 1 : 0;
  if (previous == kNever) ++inputs.previous;
  return inputs;
}

double hazard(const LifetimeNetwork& network, const LifetimeInputs& inputs, std::size_t interval) {
  const std::size_t units = network.hidden_bias.size();
  double output = network.output_bias;
  for (std::size_t unit = 0; unit < units; ++unit) {
    const auto weight = [&](const std::vector<double>& rows, std::size_t row) {
      return rows[row * units + unit];
    };
    const double sum = network.hidden_bias[unit] + weight(network.flavor_rows, inputs.flavor) +
                       weight(network.hour_rows, inputs.hour) +
                       weight(network.weekday_rows, inputs.weekday) +
                       weight(network.previous_rows, inputs.previous) +
                       weight(network.age_rows, network.interval_inputs[interval]);
    if (sum > 0) output += sum * network.output_weights[unit];
  }
  return 1 / (1 + std::exp(-output));
}

}  // namespace

SimTime previous_lifetime(const Workload& workload, InstanceIndex instance) {
  const WorkloadRow& asking = workload.rows[instance];
  const Place now = arrival_place(asking, instance);
  Place latest{SimTime::min(), 0, 0, 0};
  SimTime lifetime = kNever;
  for (InstanceIndex i = 0; i < workload.rows.size(); ++i) {
    const WorkloadRow& row = workload.rows[i];
    if (row.tenant != asking.tenant || row.end == kNever) continue;
    const Place place = departure_place(row, i);
    if (place > now || place < latest) continue;
    latest = place;
    lifetime = row.end - row.start;
  }
  return lifetime;
}

double expected_remaining(const LifetimeNetwork& network, const LifetimeInputs& inputs, double age,
                          double limit) {
  double start = 0;
  double survival = 1;
  double survival_now = 1;
  double life = 0;
  for (std::size_t k = 0; k < network.interval_ends.size(); ++k) {
    const auto end = static_cast<double>(network.interval_ends[k].count());
    const double survival_after = survival * (1 - hazard(network, inputs, k));
    const auto survival_at = [&](double x) {
      return survival + (survival_after - survival) * (x - start) / (end - start);
    };
    if (age >= start && age < end) survival_now = survival_at(age);
    const double from = std::clamp(age, start, end);
    const double to = std::clamp(limit, start, end);
    if (to > from) life += (to - from) * (survival_at(from) + survival_at(to)) / 2;
    start = end;
    survival = survival_after;
  }
  if (age >= start) survival_now = survival;
  if (limit > start) life += (limit - std::max(age, start)) * survival;
  return life / survival_now;
}

SimTime expected_remaining(const Workload& workload, InstanceIndex spot, SimTime now,
                           SimTime until) {
  if (until <= now) return SimTime(0);
  const LifetimeNetwork& network = built_in_lifetime_model()->network();
  const SimTime start = workload.rows[spot].start;
  return SimTime(std::llround(expected_remaining(network, inputs_of(network, workload, spot),
                                                 static_cast<double>((now - start).count()),
                                                 static_cast<double>((until - start).count()))));
}

}  // namespace cospot::reference
