#include <doctest/doctest.h>

#include "core/errors.hpp"
#include "tests/cpp/reference_simulator.hpp"
#include "tests/cpp/worked_scenarios.hpp"

namespace cospot::reference {
namespace {

using worked::day;

constexpr Revenue kVcpuDay = kDay.count();

TEST_CASE("reference simulator: agrees with every scenario worked by hand") {
  for (const worked::Scenario& scenario : worked::all_scenarios()) {
    CAPTURE(scenario.name);
    const Outcome outcome = simulate(scenario.workload, scenario.settings);
    CHECK(outcome.placements == scenario.expected.placements);
    CHECK(outcome.evictions == scenario.expected.evictions);
    CHECK(outcome.result.evictions == scenario.expected.evictions.size());
  }
}

TEST_CASE("reference simulator: earns the revenue worked by hand") {
  for (const worked::RevenueScenario& scenario : worked::revenue_scenarios()) {
    CAPTURE(scenario.name);
    const RunResult result = simulate(scenario.workload, scenario.settings).result;
    CHECK(result.vm_revenue_requested == scenario.vm_requested * kVcpuDay);
    CHECK(result.vm_revenue == scenario.vm_earned * kVcpuDay);
    CHECK(result.spot_revenue_requested == scenario.spot_requested * kVcpuDay);
    CHECK(result.spot_revenue == scenario.spot_earned * kVcpuDay);
  }
}

TEST_CASE("reference simulator: finds the datacenter sizes worked by hand") {
  for (const worked::SizingScenario& scenario : worked::sizing_scenarios()) {
    CAPTURE(scenario.name);
    CHECK(datacenter_size(scenario.workload, scenario.host, scenario.vm_policy) == scenario.hosts);
  }
}

TEST_CASE("reference simulator: counts requests, rejections and admissions") {
  // On one host of (10, 10): r0 VM (6,6) placed, r1 VM (6,6) rejected, r2 VM (11,1) rejected and
  // too large, r3 spot (4,4) placed, r4 spot (1,1) rejected, r5 VM (2,2) placed, evicting r3.
  const Workload workload =
      worked::workload_of({worked::vm({6, 6}), worked::vm({6, 6}), worked::vm({11, 1}),
                           worked::spot({4, 4}), worked::spot({1, 1}), worked::vm({2, 2})});
  const RunResult result = simulate(workload, {.host = {10, 10}, .hosts = 1}).result;
  CHECK(result.hosts == 1);
  CHECK(result.vm_requests == 4);
  CHECK(result.vm_rejected == 2);
  CHECK(result.vm_too_large == 1);
  CHECK(result.spot_requests == 2);
  CHECK(result.spot_admitted == 1);
  CHECK(result.evictions == 1);
}

TEST_CASE("reference simulator: logs every event in order") {
  // r1 evicts r0 on day 1 and leaves on day 2; r2 never leaves; r3 finds 10 - 9 = 1 left.
  const Workload workload =
      worked::workload_of({worked::spot({6, 6}, day(0), day(3)), worked::vm({6, 6}, day(1), day(2)),
                           worked::vm({9, 9}, day(2)), worked::spot({2, 2}, day(3))});
  const std::vector<Event> expected{
      {day(0), EventKind::kPlaced, 0, 0}, {day(1), EventKind::kEvicted, 0, 0},
      {day(1), EventKind::kPlaced, 1, 0}, {day(2), EventKind::kEnded, 1, 0},
      {day(2), EventKind::kPlaced, 2, 0}, {day(3), EventKind::kRejected, 3, kNoHost},
  };
  CHECK(simulate(workload, {.host = {10, 10}, .hosts = 1}).events == expected);
}

TEST_CASE("reference simulator: refuses what it cannot simulate") {
  const Workload none = worked::workload_of({});
  CHECK_THROWS_AS((void)simulate(none, {.vm = "sUTIL"}), ConfigError);
  CHECK_THROWS_AS((void)simulate(none, {.spot = "UTIL"}), ConfigError);
  CHECK_THROWS_AS((void)simulate(none, {.evictor = "LIFO"}), ConfigError);
  CHECK_THROWS_AS(
      (void)datacenter_size(worked::workload_of({worked::vm({11, 1})}), {10, 10}, "UTIL"),
      WorkloadError);
}

}  // namespace
}  // namespace cospot::reference
