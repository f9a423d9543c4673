#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/model/sim_time.hpp"
#include "guarantees/pricing/demand.hpp"

namespace cospot {

/// Idle periods that are shorter are of no use to anyone: it takes minutes to start a VM.
inline constexpr SimTime kLeastIdle = std::chrono::minutes(10);

/// The part of a record that is looked at.
struct TimeSpan {
  SimTime begin{0};
  SimTime end{0};

  [[nodiscard]] SimTime length() const { return end - begin; }
};

/// A server was free from begin to end. A revocation ended it, or the record did.
struct IdlePeriod {
  std::size_t server = 0;  ///< from 0; under rank occupancy the rank minus 1
  SimTime begin{0};
  SimTime end{0};
  bool revoked = true;

  [[nodiscard]] SimTime length() const { return end - begin; }
};

/// Finds the idle periods of servers that are occupied in the order of their rank: `busy` jobs
/// occupy the ranks 1 to `busy`, so that rank i is idle while fewer than i are. More than
/// `servers` at once are not served.
///
/// Tells `visit` of each period in `span`, by its end. Both edges count what was seen: a period
/// that began before the span counts from there on, with its revocation, and one that goes on after
/// it counts until then, without one. So the sum over periods is the idle time, and over it the
/// number of revocations is their rate, however long the periods were. Short periods are left out.
///
/// Source: Shastri et al., "Transient guarantees", SC 2016, section IV.
template <class Visit>
void for_each_idle_period(const Demand& demand, std::size_t servers, TimeSpan span,
                          const Visit& visit) {
  std::vector<SimTime> since(servers, span.begin);
  const auto most = static_cast<std::int64_t>(servers);
  const auto tell = [&](std::int64_t rank, SimTime end, bool revoked) {
    const auto server = static_cast<std::size_t>(rank);
    if (end - since[server] >= kLeastIdle) visit(IdlePeriod{server, since[server], end, revoked});
  };
  std::int64_t busy = 0;
  auto step = demand.steps.begin();
  for (; step != demand.steps.end() && step->time <= span.begin; ++step) busy = step->busy;
  busy = std::min(busy, most);
  for (; step != demand.steps.end() && step->time < span.end; ++step) {
    const std::int64_t now = std::min(step->busy, most);
    for (std::int64_t rank = busy; rank < now; ++rank) tell(rank, step->time, true);
    for (std::int64_t rank = now; rank < busy; ++rank) {
      since[static_cast<std::size_t>(rank)] = step->time;
    }
    busy = now;
  }
  for (std::int64_t rank = busy; rank < most; ++rank) tell(rank, span.end, false);
}

}  // namespace cospot
