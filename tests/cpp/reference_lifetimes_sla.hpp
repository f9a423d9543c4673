#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/model/resource_vector.hpp"
#include "core/model/sim_time.hpp"
#include "guarantees/sla/eviction_sweep.hpp"
#include "guarantees/sla/history.hpp"

// What guarantees/sla must come to, written straight from the paper and with no thought of speed:
// one fictitious spot at a time.
namespace cospot::reference {

/// The shortcut for one host, or for instances of one size: a spot is evicted at the first VM for
/// which VMs and older spots that are promised to live on leave it no room, all hosts taken
/// together.
[[nodiscard]] FictitiousSpot shortcut(const History& history, const ResourceVector& size,
                                      SimTime start);

/// The whole simulation: from `start` on every recorded request is placed anew, first fit, VMs
/// evicting the youngest spots where they must, those without a promise first. A recorded victim
/// leaves when it was evicted.
[[nodiscard]] FictitiousSpot full_replay(const History& history, const ResourceVector& size,
                                         SimTime start, VictimRule rule);

/// What sweep_evictions says it does, without cohorts: every host is looked at for every VM.
[[nodiscard]] FictitiousSpot one_by_one(const History& history, const ResourceVector& size,
                                        SimTime start, VictimRule rule);

/// A random history of `hosts` hosts under first fit with VMs and spots of 1 to `largest` vcpus, as
/// a scheduler without promises makes it, `requests` long, one a minute on average.
struct RandomHistory {
  std::size_t hosts = 3;
  ResourceAmount host_vcpus = 4;
  ResourceAmount largest = 1;
  std::size_t requests = 200;
  double mean_minutes = 10;  ///< how long an instance runs
  VictimRule rule = VictimRule::kYoungest;
  std::uint64_t promised_percent = 100;  ///< of spots; the others have no promise, or a short one
};
[[nodiscard]] History random_history(const RandomHistory& recipe, std::uint64_t seed);

}  // namespace cospot::reference
