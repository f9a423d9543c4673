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
#include "sim_harness/advise/part_accounts.hpp"
#include "sim_harness/advise/tune_samples.hpp"
#include "sim_harness/experiments/queue/progress.hpp"
#include "sim_harness/studies/provider/given_parts.hpp"
#include "sim_harness/studies/provider/parts/promise_plan.hpp"

namespace cospot {

/// The division of idle capacity among products.
struct Division {
  double economy_percent = 0;  ///< share of the requested spots sold as economy instances
  double confidence = 0;       ///< of the promises to them; 0 if there are none

  friend bool operator==(const Division&, const Division&) = default;
};

/// The results of one run over the whole history, by part of its window.
struct PlanRun {
  AllocatorSpec setting;  ///< sells nothing if it places no spots
  Division division{};
  std::size_t hosts = 0;
  std::vector<PartAccount> parts{};
  std::vector<LevelOutcome> levels{};  ///< of the whole window: VMs, economy if any, spots
  /// Mean share of all vcpus promised to the Economy class.
  std::optional<double> promised_percent{};
  std::shared_ptr<const LifetimeQuantiles> quotes{};  ///< at the end, if lifetimes are promised
};

/// The history, its hosts, and what its runs share.
struct PlanDatacenter {
  /// The whole history; its evictors are prepared for it.
  std::shared_ptr<const TuneSample> history{};
  EventSchedule vms{};  ///< of its VMs only
  std::string label{};  ///< of the history, as given
  HostMix host{};
  WindowParts parts{};
  EconomyClassSettings economy{};  ///< how promises are made
  std::optional<VmUse> vm_use{};   ///< nothing: the parts are too short for promises
  std::shared_ptr<const GivenParts> with{};
  std::vector<PromiseClass> classes{};
};

/// The input of one run.
struct PlanTask {
  AllocatorSpec setting;
  Division division{};
  std::size_t hosts = 0;
  bool promises = false;  ///< lifetimes are promised and judged, which changes nothing else
  double demand = 1;      ///< the share of the history's spots that are requested
};

[[nodiscard]] PlanRun run_plan(const PlanDatacenter& datacenter, const PlanTask& task);

/// Several runs in parallel; the results do not depend on the number of threads.
[[nodiscard]] std::vector<PlanRun> run_plans(const PlanDatacenter& datacenter,
                                             std::span<const PlanTask> tasks, std::size_t threads,
                                             RunCounter& counter);

}  // namespace cospot
