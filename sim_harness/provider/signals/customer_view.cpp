#include "sim_harness/provider/signals/customer_view.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/errors.hpp"
#include "guarantees/sla/eviction_sweep.hpp"
#include "sim_harness/base/interrupt/stop_token.hpp"

namespace cospot {
namespace {

std::vector<SimTime> tick_starts(SimTime until, SimTime tick) {
  std::vector<SimTime> starts;
  for (SimTime start{0}; start + tick <= until; start += tick) starts.push_back(start);
  return starts;
}

/// How long the flavor did not fit after each eviction of one: at least the rest of the tick in
/// which it was evicted, and that counts as one, as in customer_trace.
AgeTally waits_of(const std::vector<SimTime>& evictions, const std::vector<std::int64_t>& slots,
                  SimTime tick) {
  AgeTally waits;
  for (const SimTime evicted_at : evictions) {
    const auto first = static_cast<std::size_t>(evicted_at / tick);
    std::size_t next = first + 1;
    while (next < slots.size() && slots[next] == 0) ++next;
    waits.add(hours_of(tick * static_cast<std::int64_t>(next - first)), next < slots.size());
  }
  return waits;
}

/// Of the spots that run at `now` the one that was placed nearest to `placed_at`; null: none runs.
const SpotLife* nearest_running(std::span<const SpotLife> lives, SimTime now, SimTime placed_at) {
  const SpotLife* nearest = nullptr;
  SimTime least = kNever;
  for (const SpotLife& life : lives) {
    if (life.placed_at > now || life.ended_at <= now) continue;
    const SimTime distance =
        life.placed_at > placed_at ? life.placed_at - placed_at : placed_at - life.placed_at;
    if (distance >= least) continue;
    nearest = &life;
    least = distance;
  }
  return nearest;
}

}  // namespace

std::vector<std::int64_t> slots_at_ticks(const History& history, const ResourceVector& size,
                                         SimTime until, SimTime tick) {
  std::vector<std::int64_t> slots;
  for (const FictitiousSpot& spot :
       sweep_evictions(history, size, tick_starts(until, tick), VictimRule::kYoungest, until)) {
    slots.push_back(spot.slots);
  }
  return slots;
}

AvailabilityTrace customer_trace(std::span<const SpotLife> lives,
                                 std::span<const std::int64_t> slots, SimTime tick,
                                 SimTime renewal) {
  AvailabilityTrace trace{.tick = tick, .capacity = {}};
  trace.renewal_ticks = static_cast<std::size_t>(renewal / tick);
  std::optional<SimTime> placed_at;  // nothing: there is no spot
  const SpotLife* real = nullptr;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const SimTime begin = tick * static_cast<std::int64_t>(i), end = begin + tick;
    if (trace.is_renewed_at(i)) placed_at.reset();
    if (!placed_at && slots[i] > 0) {
      placed_at = begin;
      real = nearest_running(lives, begin, begin);
    }
    SimTime now = begin;
    while (placed_at && now < end) {
      if (real == nullptr) real = nearest_running(lives, now, *placed_at);
      if (real == nullptr || real->ended_at >= end) break;
      now = std::max(now, real->ended_at);
      if (real->is_evicted) {
        placed_at.reset();
      } else {
        real = nearest_running(lives, now, *placed_at);
        if (real == nullptr) break;
      }
    }
    trace.capacity.push_back(placed_at ? 1 : 0);
  }
  return trace;
}

AvailabilityTrace customer_trace(const SignalWatch& watch, const FlavorSignals& flavor,
                                 const std::string& history, SimTime renewal) {
  std::vector<SpotLife> lives;
  for (const SpotLife& life : watch.lives().all()) {
    if (watch.pools()[life.pool].size == flavor.size) lives.push_back(life);
  }
  AvailabilityTrace trace = customer_trace(
      lives, slots_at_ticks(watch.history(), flavor.size, watch.window(), kAvailabilityTick),
      kAvailabilityTick, renewal);
  trace.flavor = flavor.size;
  trace.history = history;
  return trace;
}

ProviderSignals told_signals(const SignalWatch& watch, const std::string& history, SimTime until) {
  constexpr SimTime kTick = kAvailabilityTick;
  const std::span<const SpotPool> pools = watch.pools();
  std::vector<FlavorSignals> of_pool(pools.size());
  std::vector<std::vector<SimTime>> evictions(pools.size());
  AgeTally all_runs, all_waits;
  for (const SpotLife& life : watch.lives().all()) {
    // What came before the window fills an empty datacenter.
    if (life.placed_at < SimTime{0} || life.placed_at >= until) continue;
    const bool is_evicted = life.is_evicted_before(until);
    of_pool[life.pool].runs.add(hours_of(std::min(life.ended_at, until) - life.placed_at),
                                is_evicted);
    if (is_evicted) evictions[life.pool].push_back(life.ended_at);
  }
  const StopToken stop = current_stop_token();
  ProviderSignals told{.history = history, .learned_until_hours = hours_of(until)};
  std::vector<std::size_t> flavors;
  for (std::size_t pool = 0; pool < pools.size(); ++pool) {
    if (!pools[pool].zone.empty() || of_pool[pool].runs.hours.front() <= 0) continue;
    stop.check();
    flavors.push_back(pool);
    if (!evictions[pool].empty()) {
      of_pool[pool].waits = waits_of(
          evictions[pool], slots_at_ticks(watch.history(), pools[pool].size, until, kTick), kTick);
    }
    all_runs.add(of_pool[pool].runs);
    all_waits.add(of_pool[pool].waits);
  }
  if (flavors.empty()) {
    throw ConfigError(history + ": no spot was placed in the time that signals are learned from");
  }
  const AgeRates runs = rates_of(all_runs), waits = rates_of(all_waits);
  for (const std::size_t pool : flavors) {
    FlavorSignals& flavor = told.flavors.emplace_back(of_pool[pool]);
    flavor.size = pools[pool].size;
    flavor.evictions_per_hour = rates_of(flavor.runs, runs);
    flavor.ends_per_hour = rates_of(flavor.waits, waits);
  }
  return told;
}

}  // namespace cospot
