#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "guarantees/sla/lifetime_quantiles.hpp"
#include "sim_harness/experiments/queue/progress.hpp"
#include "sim_harness/plan/part_accounts.hpp"
#include "sim_harness/studies/provider/given_parts.hpp"
#include "sim_harness/studies/provider/parts/promise_plan.hpp"
#include "sim_harness/tune/tune_samples.hpp"

namespace cospot {

/// The policies of a datacenter: what `tune` chooses.
struct PlanSetting {
  ChainSpec vm{};
  ChainSpec spot{};  ///< an empty one: nothing is sold
  EvictorSpec evictor{};
  bool saf = false;
  OfferRule otn{};
  bool is_bound = false;  ///< it needs true lifetimes: an upper bound, not to be set

  /// VMs alone are placed.
  [[nodiscard]] bool sells_nothing() const { return spot.label.empty() && spot.weighers.empty(); }
  [[nodiscard]] bool cooperates() const { return saf || otn != OfferRule(1); }
  /// "COS, sUTIL, FIFO, SAF on, OTN 4".
  [[nodiscard]] std::string label() const;
};

/// How idle capacity is divided among what can be sold.
struct Division {
  double economy_percent = 0;  ///< of the spots that are asked for: sold as economy instances
  double confidence = 0;       ///< of what is promised to them; without any: 0

  friend bool operator==(const Division&, const Division&) = default;
};

/// What one run of the whole history came to, by part of its window.
struct PlanRun {
  PlanSetting setting;
  Division division{};
  std::size_t hosts = 0;
  std::vector<PartAccount> parts{};
  std::vector<LevelOutcome> levels{};        ///< of the whole window: VMs, economy if any, spots
  std::optional<double> promised_percent{};  ///< of all vcpus, to the Economy class: the mean
  std::shared_ptr<const LifetimeQuantiles> quotes{};  ///< at the end, where lifetimes are promised
};

/// The history on its hosts, and what its runs share.
struct PlanDatacenter {
  std::shared_ptr<const TuneSample> history{};  ///< all of it; its evictors know where it is
  EventSchedule vms{};                          ///< of its VMs alone
  std::string label{};                          ///< of the history, as it was given
  HostMix host{};
  WindowParts parts{};
  EconomyClassSettings economy{};  ///< how its promises are made
  std::optional<VmUse> vm_use{};   ///< nothing: the parts are too short to promise anything
  std::shared_ptr<const GivenParts> with{};
  std::vector<PromiseClass> classes{};
};

/// What one run is to be.
struct PlanTask {
  PlanSetting setting;
  Division division{};
  std::size_t hosts = 0;
  bool promises = false;  ///< lifetimes are promised and judged, which changes nothing else
  double demand = 1;      ///< the share of the spots in the history that are asked for
};

[[nodiscard]] PlanRun run_plan(const PlanDatacenter& datacenter, const PlanTask& task);

/// The same of several at once; the results do not depend on the number of threads.
[[nodiscard]] std::vector<PlanRun> run_plans(const PlanDatacenter& datacenter,
                                             std::span<const PlanTask> tasks, std::size_t threads,
                                             RunCounter& counter);

}  // namespace cospot
