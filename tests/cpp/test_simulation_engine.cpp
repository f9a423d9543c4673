#include <doctest/doctest.h>

#include <map>

#include "core/random.hpp"
#include "sim_harness/provider/loop/run_group.hpp"
#include "sim_harness/provider/loop/simulation_engine.hpp"
#include "sim_harness/provider/run/allocator.hpp"
#include "sim_harness/provider/sizing/datacenter_size.hpp"
#include "tests/cpp/engine_checks.hpp"
#include "tests/cpp/random_workload.hpp"
#include "tests/cpp/reference_simulator.hpp"
#include "tests/cpp/settings_grid.hpp"
#include "tests/cpp/worked_scenarios.hpp"

namespace cospot {
namespace {

using reference::Event;
using reference::EventKind;
using reference::Settings;

TEST_CASE("SimulationEngine: gives the answers worked out by hand") {
  for (const worked::Scenario& scenario : worked::all_scenarios()) {
    CAPTURE(scenario.name);
    const EventSchedule schedule = make_schedule(scenario.workload);
    SimulationEngine engine(schedule, make_hosts(scenario.settings),
                            make_allocator(run_settings_of(scenario.settings)));
    EventRecorder recorder(scenario.settings.otn);
    engine.set_observer(&recorder);
    engine.run();
    std::vector<HostIndex> placements(scenario.workload.rows.size(), kNoHost);
    std::vector<reference::Eviction> evictions;
    for (const Event& event : recorder.events) {
      if (event.kind == EventKind::kPlaced) placements[event.instance] = event.host;
      if (event.kind == EventKind::kEvicted) {
        evictions.push_back({event.time, event.host, event.instance});
      }
    }
    CHECK(placements == scenario.expected.placements);
    CHECK((evictions == scenario.expected.evictions));
  }
}

TEST_CASE("SimulationEngine: earns the revenue worked out by hand") {
  for (const worked::RevenueScenario& scenario : worked::revenue_scenarios()) {
    CAPTURE(scenario.name);
    const EventSchedule schedule = make_schedule(scenario.workload);
    SimulationEngine engine(schedule, make_hosts(scenario.settings),
                            make_allocator(run_settings_of(scenario.settings)));
    engine.run();
    const RunResult result = engine.result();
    const auto in_days = [](std::int64_t vcpu_days) {
      return Revenue{vcpu_days} * SimTime(kDay).count();
    };
    CHECK((result.vm_revenue_requested == in_days(scenario.vm_requested)));
    CHECK((result.vm_revenue == in_days(scenario.vm_earned)));
    CHECK((result.spot_revenue_requested == in_days(scenario.spot_requested)));
    CHECK((result.spot_revenue == in_days(scenario.spot_earned)));
  }
}

TEST_CASE("SimulationEngine: times VMs and spots apart, and nothing that an observer slows") {
  for (const bool is_spot : {false, true}) {
    const Workload workload =
        worked::workload_of({is_spot ? worked::spot({3, 3}, kDay) : worked::vm({3, 3}, kDay)});
    const EventSchedule schedule = make_schedule(workload);
    const Settings settings{.host = {10, 10}, .hosts = 1};
    for (const bool is_watched : {false, true}) {
      SimulationEngine engine(schedule, HostTable::uniform(1, settings.host),
                              make_allocator(run_settings_of(settings)));
      EventRecorder recorder(1);
      if (is_watched) engine.set_observer(&recorder);
      engine.run();
      const RunResult result = engine.result();
      CHECK((result.alloc_max_ns > 0) == (!is_spot && !is_watched));
      CHECK((result.spot_alloc_max_ns > 0) == (is_spot && !is_watched));
      CHECK(result.spot_alloc_p50_ns == result.spot_alloc_max_ns);  // of one allocation
      CHECK(result.spot_alloc_p99_ns == result.spot_alloc_max_ns);
    }
  }
}

TEST_CASE("SimulationEngine: a spot evicted in its first hour may be free") {
  // One host of (10, 10), full at 9. Spots (3, 3): r0 at 00:00 of day 1, r1 and r2 at 00:30. VMs
  // (3, 3): r3 at 00:59:59.999999 evicts r0, 1 us short of an hour; r4 at 01:30 evicts r1 after
  // exactly an hour; r5 at 00:00 of day 2 evicts r2 after 23.5 hours. Free: r0 alone.
  const SimTime hour = std::chrono::hours(1);
  const SimTime start = kDay;
  const Workload workload = worked::workload_of({
      worked::spot({3, 3}, start),
      worked::spot({3, 3}, start + hour / 2),
      worked::spot({3, 3}, start + hour / 2),
      worked::vm({3, 3}, start + hour - SimTime{1}),
      worked::vm({3, 3}, start + hour + hour / 2),
      worked::vm({3, 3}, start + 24 * hour),
  });
  const EventSchedule schedule = make_schedule(workload);
  const Settings settings{.host = {10, 10}, .hosts = 1};
  SimulationEngine engine(schedule, HostTable::uniform(1, settings.host),
                          make_allocator(run_settings_of(settings)));
  engine.run();
  const RunResult result = engine.result();
  CHECK(result.evictions == 3);
  const Revenue of_r0 = Revenue{3} * (hour - SimTime{1}).count();
  const Revenue of_r1 = Revenue{3} * hour.count();
  const Revenue of_r2 = Revenue{3} * (23 * hour + hour / 2).count();
  CHECK((result.spot_revenue == of_r0 + of_r1 + of_r2));
  CHECK((result.spot_revenue_first_hour_free == of_r1 + of_r2));
}

TEST_CASE("SimulationEngine: agrees with the reference on evictions within the first hour") {
  std::size_t differ = 0;
  for (std::uint64_t seed = 500; seed < 520; ++seed) {
    const RandomWorkloadOptions options{
        .seed = seed, .requests = 150, .host = {10, 10, 0}, .hosts = 4};
    const Workload workload = hurried(random_workload(options));
    const Settings settings{options.host, options.hosts, "COS", "sCOS", "FIFO", false, 2};
    check_against_reference(workload, settings);
    const RunResult result = reference::simulate(workload, settings).result;
    if (result.spot_revenue_first_hour_free != result.spot_revenue) ++differ;
  }
  CHECK(differ >= 10);
}

TEST_CASE("smallest_datacenter: gives the sizes worked out by hand") {
  for (const worked::SizingScenario& scenario : worked::sizing_scenarios()) {
    CAPTURE(scenario.name);
    const EventSchedule vms = make_schedule(scenario.workload, ScheduledClasses::kVmsOnly);
    CHECK(smallest_datacenter(scenario.workload, vms, scenario.host, chain_of(scenario.vm_policy))
              .hosts == scenario.hosts);
  }
}

TEST_CASE("with_headroom: rounds the added hosts to the nearest") {
  CHECK(with_headroom(531, 0) == 531);
  CHECK(with_headroom(531, 1) == 536);  // 5.31
  CHECK(with_headroom(555, 1) == 561);  // 5.55
  CHECK(with_headroom(50, 1) == 51);    // 0.5 rounds away from zero
  CHECK(with_headroom(531, 4) == 552);  // 21.24
}

TEST_CASE("SimulationEngine: agrees with the reference simulator over the whole grid") {
  const std::vector<RandomWorkloadOptions> cases{
      {.seed = 11, .requests = 120, .host = {10, 10, 0}, .hosts = 4},
      {.seed = 12, .requests = 200, .host = {8, 16, 0}, .hosts = 6},
      {.seed = 13, .requests = 90, .host = {12, 10, 20}, .hosts = 4},
  };
  for (const RandomWorkloadOptions& options : cases) {
    const Workload workload = random_workload(options);
    for (const Settings& settings : reference::settings_grid(options.host, options.hosts)) {
      check_against_reference(workload, settings);
    }
  }
}

TEST_CASE("SimulationEngine: agrees with the reference on many workloads, settings at random") {
  Random random(99);
  for (std::uint64_t seed = 100; seed < 400; ++seed) {
    const std::vector<ResourceVector> shapes{{10, 10, 0}, {8, 16, 0}, {16, 7, 0}, {12, 10, 20}};
    const ResourceVector host = shapes[random.below(shapes.size())];
    const std::size_t hosts = 1 + random.below(8);
    const Workload workload = random_workload(
        {.seed = seed, .requests = 40 + random.below(120), .host = host, .hosts = hosts});
    const std::vector<Settings> grid = reference::settings_grid(host, hosts);
    for (int i = 0; i < 4; ++i) check_against_reference(workload, grid[random.below(grid.size())]);
  }
}

TEST_CASE("simulate_group: shares what runs have in common without changing a result") {
  const std::vector<EvictorSpec> evictors{evictor_of("FIFO"), evictor_of("YJF"), evictor_of("LPO")};
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const RandomWorkloadOptions options{
        .seed = seed, .requests = 150, .host = {10, 12, 0}, .hosts = 5};
    const Workload workload = random_workload(options);
    const EventSchedule schedule = make_schedule(workload);
    const ChainSpec vm = chain_of(seed % 2 == 0 ? "COS" : "UTIL");
    const ChainSpec spot = chain_of("vmaDPD");
    std::vector<AllocatorSpec> allocators;
    for (const EvictorSpec& evictor : evictors) {
      for (const bool saf : {false, true}) {
        for (const std::size_t otn : {1U, 2U, 32U}) {
          allocators.push_back({vm, spot, evictor, saf, otn});
        }
      }
    }
    std::map<std::size_t, RunResult> results;
    simulate_group(schedule, options.host, options.hosts, allocators,
                   [&](std::size_t index, const RunResult& result) {
                     CHECK(results.emplace(index, result).second);
                   });
    REQUIRE(results.size() == allocators.size());
    for (std::size_t i = 0; i < allocators.size(); ++i) {
      CAPTURE(i);
      SimulationEngine alone(schedule, HostTable::uniform(options.hosts, options.host),
                             make_allocator(allocators[i]));
      alone.run();
      check_same_result(results.at(i), alone.result());
    }
  }
}

TEST_CASE("SimulationEngine: pauses before the named arrival and goes on as if it had not") {
  const RandomWorkloadOptions options{.seed = 7, .requests = 100, .host = {10, 10, 0}, .hosts = 4};
  const Workload workload = random_workload(options);
  const EventSchedule schedule = make_schedule(workload);
  const Settings settings{options.host, options.hosts, "COS", "sDPD", "LPO", false, 3};
  const Allocator allocator = make_allocator(run_settings_of(settings));
  SimulationEngine engine(schedule, make_hosts(settings), allocator);
  const InstanceIndex instance = 60;
  CHECK(engine.run({.arrival = instance}) == RunPause::kArrival);
  CHECK(engine.next_event().instance == instance);
  CHECK(engine.host_of(instance) == kNoHost);
  CHECK(engine.run() == RunPause::kFinished);
  check_same_result(engine.result(), reference::simulate(workload, settings).result);
}

}  // namespace
}  // namespace cospot
