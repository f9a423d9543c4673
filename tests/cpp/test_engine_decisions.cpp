#include <doctest/doctest.h>

#include "core/errors.hpp"
#include "sim_harness/provider/loop/simulation_engine.hpp"
#include "sim_harness/provider/run/allocator.hpp"
#include "tests/cpp/engine_checks.hpp"
#include "tests/cpp/error_text.hpp"
#include "tests/cpp/worked_scenarios.hpp"

namespace cospot {
namespace {

TEST_CASE("SimulationEngine: takes a decision from outside, or refuses it and changes nothing") {
  // Two hosts of (10, 10). sUTIL puts the spots r0 (4, 4) and r1 (3, 3) on host 0, where 3 are
  // left; the VM r2 (6, 6) needs 3 more there: those of r0, or of r1, and none on host 1.
  const Workload workload = worked::workload_of({
      worked::spot({4, 4}, kDay),
      worked::spot({3, 3}, kDay),
      worked::vm({6, 6}, kDay),
      worked::vm({1, 1}, 2 * kDay),
      worked::spot({6, 6}, 2 * kDay),
  });
  const EventSchedule schedule = make_schedule(workload);
  SimulationEngine engine(schedule, HostTable::uniform(2, {10, 10}),
                          make_allocator(run_settings_of({.host = {10, 10}, .hosts = 2})));
  REQUIRE((engine.run({.arrivals_of = InstanceClass::kVm}) == RunPause::kArrival));
  REQUIRE(engine.next_request().instance == 2);
  const auto refused = [&](HostIndex host, std::vector<InstanceIndex> victims) {
    return error_text<ConfigError>(
        [&] { engine.decide({.host = {.host = host}, .victims = std::move(victims)}); });
  };
  CHECK(refused(0, {}) ==
        "request 2 on host 0: expected 3 more vcpus, 3 more memory_mb and 0 more disk_gb");
  CHECK(refused(0, {2}) ==
        "request 2 on host 0: victim 2, expected each of its 2 spots at most once");
  CHECK(contains(refused(0, {1, 1}), "victim 1, expected each of its 2 spots at most once"));
  CHECK(refused(1, {0}) == "request 2 on host 1: 1 victims, expected none");
  CHECK(engine.spots_on(0).size() == 2);
  CHECK(engine.host_of(2) == kNoHost);

  engine.decide({.host = {.host = 0}, .victims = {1}});
  CHECK(engine.host_of(2) == 0);
  CHECK(engine.host_of(1) == kNoHost);
  REQUIRE((engine.run({.arrivals_of = InstanceClass::kVm}) == RunPause::kArrival));
  engine.decide({});  // no host: rejected
  // Beside r0 and r2 nothing is left on host 0, and a spot evicts nobody: host 1.
  REQUIRE((engine.run({.arrivals_of = InstanceClass::kSpot}) == RunPause::kArrival));
  CHECK(contains(refused(0, {0}), "1 victims, expected none"));
  engine.decide({.host = {.host = 1}, .victims = {}});
  CHECK((engine.run() == RunPause::kFinished));
  const RunResult result = engine.result();
  CHECK(result.vm_rejected == 1);
  CHECK(result.spot_admitted == 3);
  CHECK(result.evictions == 1);
}

}  // namespace
}  // namespace cospot
