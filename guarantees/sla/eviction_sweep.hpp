#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/model/resource_vector.hpp"
#include "core/model/sim_time.hpp"
#include "guarantees/sla/history.hpp"

namespace cospot {

/// The rule that selects the spots evicted for a VM that fits on no host.
enum class VictimRule : std::uint8_t {
  kYoungest,   ///< on the host where the oldest victim is youngest: of all hosts, the youngest go
  kFirstHost,  ///< on the first host that suffices, the youngest of it
  kFewest,     ///< on the host where the fewest youngest suffice
};

/// The fate of one fictitious spot.
struct FictitiousSpot {
  std::int64_t slots = 0;     ///< of its size that were free when it came; 0: it had no place
  SimTime lifetime = kNever;  ///< until it is evicted; kNever: it lives at the end
};

/// Puts fictitious spots of one size into a history, one at each of `starts` (ascending), alone in
/// its own copy of what was recorded, and replays what follows until it is evicted.
///
/// The copies are not simulated one by one. What was recorded stands: VMs and spots come, go and
/// stay where the history has them, and one pass over it carries all fictitious spots along. Those
/// that are on the same host, between the same recorded spots in age, have the same fate and are
/// one cohort. A fictitious spot is promised to live on, so that recorded spots which are not are
/// evicted before it, as are those younger than it. When a recorded VM comes to a host whose older
/// promised spots leave no room for both, the VM would have gone elsewhere:
///  - to a host with room, or where younger spots make room: it and the fictitious spot change
///    places (a spot too large for that host stays, as long as some host has room for what it
///    displaces);
///  - nowhere, or where the fictitious spot is a victim by `rule`: it is evicted.
/// Other spots never matter, since they are evicted first.
///
/// Exact on one host and for instances of one size (then what changes places is alike). Elsewhere
/// it leaves out how displaced instances displace others; docs/lifetime-sla.md has the difference.
///
/// What happened after `until` is left out: an estimate as of a time knows no future.
///
/// Costs O(events + cohorts moved) a size, not events times starts.
[[nodiscard]] std::vector<FictitiousSpot> sweep_evictions(const History& history,
                                                          const ResourceVector& size,
                                                          std::span<const SimTime> starts,
                                                          VictimRule rule, SimTime until = kNever);

/// The same of a history that goes on: one pass serves estimates as of many times.
class EvictionSweep {
 public:
  virtual ~EvictionSweep() = default;

  /// Replays the `events` of the history up to `until` that came since the last call.
  virtual void run(std::span<const HistoryEvent> events, SimTime until) = 0;
  /// The fates so far, of those that have not started too.
  [[nodiscard]] virtual std::span<const FictitiousSpot> fates() const = 0;
};

/// `starts` (ascending) outlive it.
[[nodiscard]] std::unique_ptr<EvictionSweep> make_eviction_sweep(
    std::span<const ResourceVector> host_totals, const ResourceVector& size,
    std::span<const SimTime> starts, VictimRule rule);

}  // namespace cospot
