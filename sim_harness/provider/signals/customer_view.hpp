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

/// How many spots of a size fit at the beginning of each whole tick before `until`.
[[nodiscard]] std::vector<std::int64_t> slots_at_ticks(const History& history,
                                                       const ResourceVector& size, SimTime until,
                                                       SimTime tick);

/// What a customer sees who keeps one spot of a flavor whenever that is to be had: in each tick 1
/// if the spot runs all through it. It may start where a spot fits at the beginning of a tick. It
/// then shares the fate of a real spot of the flavor, the running one that was placed nearest in
/// time: is that evicted, so is the customer's; ends it by itself, another one takes its part. When
/// evicted, the customer has no spot for the rest of that tick. Every `renewal` it takes a new one
/// in place of its own: where the youngest are evicted first, one that is kept for ever would soon
/// be safe, and show nothing to a job that begins later.
///
/// Args: lives: all of the flavor. slots: at the beginning of each tick.
[[nodiscard]] AvailabilityTrace customer_trace(std::span<const SpotLife> lives,
                                               std::span<const std::int64_t> slots, SimTime tick,
                                               SimTime renewal);

/// The same of every flavor that `told` has, from a run that is over: with its size and history.
[[nodiscard]] AvailabilityTrace customer_trace(const SignalWatch& watch,
                                               const FlavorSignals& flavor,
                                               const std::string& history, SimTime renewal);

/// What the provider may tell of each flavor, from what happened before `until`: how often spots
/// that ran were evicted by their age, and how long a flavor that was evicted did not fit then.
[[nodiscard]] ProviderSignals told_signals(const SignalWatch& watch, const std::string& history,
                                           SimTime until);

}  // namespace cospot
