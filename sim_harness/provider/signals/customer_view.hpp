#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/model/resource_vector.hpp"
#include "core/model/sim_time.hpp"
#include "sim_harness/data/markets/availability_trace.hpp"
#include "sim_harness/data/markets/provider_signals.hpp"
#include "sim_harness/provider/signals/signal_watch.hpp"

namespace cospot {

/// The number of spots of a size that fit at the beginning of each whole tick before `until`.
[[nodiscard]] std::vector<std::int64_t> slots_at_ticks(const History& history,
                                                       const ResourceVector& size, SimTime until,
                                                       SimTime tick);

/// What a customer observes who holds one spot of a flavor whenever possible: 1 for each tick
/// during which the spot runs throughout. The spot starts at a tick at whose beginning one fits. It
/// then follows the fate of the running spot of the flavor that was placed nearest in time: if that
/// one is evicted, so is the customer's; if it ends by itself, another takes its role. After an
/// eviction, the customer has no spot for the rest of the tick. The customer replaces its spot
/// every `renewal`: where the youngest are evicted first, a spot kept for ever would soon be safe
/// and tell nothing about a job that starts later.
///
/// Args: lives: all of the flavor. slots: at the beginning of each tick.
[[nodiscard]] AvailabilityTrace customer_trace(std::span<const SpotLife> lives,
                                               std::span<const std::int64_t> slots, SimTime tick,
                                               SimTime renewal);

/// The same for every flavor of `told`, with its size and history, from a finished run.
[[nodiscard]] AvailabilityTrace customer_trace(const SignalWatch& watch,
                                               const FlavorSignals& flavor,
                                               const std::string& history, SimTime renewal);

/// What the provider can publish about each flavor, from what happened before `until`: the eviction
/// rate of running spots by age, and how long an evicted flavor then did not fit.
[[nodiscard]] ProviderSignals told_signals(const SignalWatch& watch, const std::string& history,
                                           SimTime until);

}  // namespace cospot
