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
/// Tells `visit` of each period in `span`, by its end. A period that began before the span is left
/// out, because its length is not known, unless it lasts through all of it; one that goes on
/// after the span counts until then, without a revocation. Short periods are left out.
///
/// Source: Shastri et al., "Transient guarantees", SC 2016, section IV.
template <class Visit>
void for_each_idle_period(const Demand& demand, std::size_t servers, TimeSpan span,
                          const Visit& visit) {
  constexpr SimTime kUnknown = SimTime::min();  // it began before the span
  std::vector<SimTime> since(servers, kUnknown);
  const auto most = static_cast<std::int64_t>(servers);
  const auto tell = [&](std::size_t server, SimTime end, bool revoked) {
    if (end - since[server] >= kLeastIdle) visit(IdlePeriod{server, since[server], end, revoked});
  };
  std::int64_t busy = 0;
  std::int64_t reached = 0;  // ranks up to here were in use in the span
  auto step = demand.steps.begin();
  for (; step != demand.steps.end() && step->time <= span.begin; ++step) busy = step->busy;
  busy = std::min(busy, most);
  reached = busy;
  for (; step != demand.steps.end() && step->time < span.end; ++step) {
    const std::int64_t now = std::min(step->busy, most);
    for (std::int64_t rank = busy; rank < now; ++rank) {
      const auto server = static_cast<std::size_t>(rank);
      if (since[server] != kUnknown) tell(server, step->time, true);
    }
    for (std::int64_t rank = now; rank < busy; ++rank) {
      since[static_cast<std::size_t>(rank)] = step->time;
    }
    busy = now;
    reached = std::max(reached, busy);
  }
  for (std::int64_t rank = busy; rank < most; ++rank) {
    const auto server = static_cast<std::size_t>(rank);
    if (rank >= reached) since[server] = span.begin;
    if (since[server] != kUnknown) tell(server, span.end, false);
  }
}

}  // namespace cospot
