#pragma once

#include <string>
#include <vector>

#include "sim_harness/engine/life_result.hpp"
#include "sim_harness/life/life_plan.hpp"
#include "sim_harness/workloads/workload.hpp"
#include "tests/cpp/reference_simulator.hpp"

/// A second, slow simulator of runs with a LifePlan, apart from the first: one loop over a list of
/// things to do, which recomputes every sum from the instances on a host.
namespace cospot::reference {

struct LifeOutcome {
  /// All that happens, one line each: time, event, instance, host, size (life_line).
  std::vector<std::string> events;
  LifeResult result;
};

/// `settings.evictor` is FIFO, YJF or LPO.
[[nodiscard]] LifeOutcome simulate_life(const Workload& workload, const Settings& settings,
                                        const LifePlan& plan);

/// How both write an event; -1: no instance, no host.
[[nodiscard]] std::string life_line(SimTime time, const std::string& event, std::int64_t instance,
                                    std::int64_t host, ResourceVector size = {});

}  // namespace cospot::reference
