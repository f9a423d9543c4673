#pragma once

#include <doctest/doctest.h>

#include "sim_harness/provider/explain/explain.hpp"
#include "sim_harness/provider/run/allocator.hpp"
#include "tests/cpp/engine_checks.hpp"
#include "tests/cpp/reference_simulator.hpp"
#include "tests/cpp/worked_scenarios.hpp"

namespace cospot {

/// Explains the request in row `instance` and lets the engine confirm it.
[[nodiscard]] inline Explanation explain(const Workload& workload, const RunSettings& settings,
                                         InstanceIndex instance) {
  const EventSchedule schedule = make_schedule(workload);
  SimulationEngine engine(schedule, make_hosts(settings), make_allocator(settings));
  REQUIRE(engine.run({.arrival = instance}) == RunPause::kArrival);
  Explanation explanation = explain_next(engine, settings);
  decide_as_explained(engine, schedule, explanation, nullptr);
  return explanation;
}

/// The workload that worked_evictions.cpp works out. On day 5, when i4 VM (4,6) comes:
///   host-0: VM (6,2), spots i1 (2,4) and i2 (2,4): free (4,8) beside VMs, (0,0) beside all.
///   host-1: spot i3 (7,6): free (10,10), (3,4).
///   host-2: nothing: free (10,10).
/// The spots came on day 4 and end on day 6: age and remaining life 1 day.
[[nodiscard]] inline Workload contended() {
  return worked::workload_of(
      {worked::vm({6, 2}, worked::day(4)), worked::spot({2, 4}, worked::day(4), worked::day(6)),
       worked::spot({2, 4}, worked::day(4), worked::day(6)),
       worked::spot({7, 6}, worked::day(4), worked::day(6)), worked::vm({4, 6}, worked::day(5))});
}

}  // namespace cospot
