#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "evictors/lifetime_evictor.hpp"
#include "sim_harness/provider/loop/run_group.hpp"
#include "sim_harness/provider/loop/simulation_engine.hpp"
#include "sim_harness/provider/run/allocator.hpp"
#include "sim_harness/provider/run/prepared_evictor.hpp"
#include "tests/cpp/engine_checks.hpp"
#include "tests/cpp/random_workload.hpp"
#include "tests/cpp/reference_lifetimes.hpp"
#include "tests/cpp/reference_simulator.hpp"
#include "tests/cpp/settings_grid.hpp"
#include "tests/cpp/worked_scenarios.hpp"

namespace cospot {
namespace {

using reference::Settings;
using worked::day;

enum class Kind { kOffered, kEvicted, kPlaced, kRejected };
using Decision = std::tuple<Kind, InstanceIndex, HostIndex>;

/// Writes down every decision of a run: whole offers, victims, hosts.
class DecisionRecorder final : public RunObserver {
 public:
  void requested(const Request&) override {}
  void offered(const Offer& offer) override {
    for (const OfferedHost& host : offer.hosts) {
      decisions.emplace_back(Kind::kOffered, offer.request.instance, host.host);
    }
  }
  void evicted(InstanceIndex victim, HostIndex host, const Request&) override {
    decisions.emplace_back(Kind::kEvicted, victim, host);
    ++evictions;
  }
  void placed(const Request& request, HostIndex host) override {
    decisions.emplace_back(Kind::kPlaced, request.instance, host);
  }
  void rejected(const Request& request) override {
    decisions.emplace_back(Kind::kRejected, request.instance, kNoHost);
  }
  void departed(InstanceIndex, HostIndex, SimTime) override {}

  std::vector<Decision> decisions;
  std::size_t evictions = 0;
};

EvictorSpec with_oracle() {
  return {.label = "LPML-oracle", .name = "LPML", .make = [] {
            return std::make_unique<LpmlEvictor>(std::make_shared<LifetimeOracle>(), 3 * kDay,
                                                 90 * kDay, 30 * kDay);
          }};
}

DecisionRecorder decide(const Workload& workload, const Settings& settings,
                        const EvictorSpec& evictor) {
  const EventSchedule schedule = make_schedule(workload);
  Allocator allocator = make_allocator({.vm = chain_of(settings.vm),
                                        .spot = chain_of(settings.spot),
                                        .evictor = evictor,
                                        .saf = settings.saf,
                                        .otn = settings.otn});
  allocator.evictor = prepared_evictor(allocator.evictor, workload, schedule);
  SimulationEngine engine(schedule, HostTable::uniform(settings.hosts, settings.host), allocator);
  DecisionRecorder recorder;
  engine.set_observer(&recorder);
  engine.run();
  return recorder;
}

TEST_CASE("LPML: with the oracle it decides as LPO does, over the whole grid") {
  for (const RandomWorkloadOptions& options : std::vector<RandomWorkloadOptions>{
           {.seed = 21, .requests = 150, .host = {10, 10, 0}, .hosts = 4},
           {.seed = 22, .requests = 150, .host = {12, 10, 20}, .hosts = 5}}) {
    const Workload workload = random_workload(options);
    std::size_t evictions = 0;
    std::size_t other_than_learned = 0;
    for (const Settings& settings : reference::settings_grid(options.host, options.hosts)) {
      if (settings.evictor != "LPO") continue;
      CAPTURE(reference::describe(settings));
      const DecisionRecorder lpo = decide(workload, settings, evictor_of("LPO"));
      CHECK((decide(workload, settings, with_oracle()).decisions == lpo.decisions));
      evictions += lpo.evictions;
      if (decide(workload, settings, evictor_of("LPML")).decisions != lpo.decisions) {
        ++other_than_learned;
      }
    }
    CHECK(evictions > 0);
    CHECK(other_than_learned > 0);  // otherwise the first check would prove nothing
  }
}

TEST_CASE("LPML: decides as FIFO does until day 3") {
  const Workload workload = random_workload(
      {.seed = 23, .requests = 300, .host = {10, 10, 0}, .hosts = 5, .load_percent = 200});
  Workload early = workload;
  std::erase_if(early.rows, [](const WorkloadRow& row) { return row.start >= 3 * kDay; });
  const Settings settings{{10, 10, 0}, 5, "COS", "sDPD", "LPML", false, 2};
  const DecisionRecorder fifo = decide(early, settings, evictor_of("FIFO"));
  CHECK(fifo.evictions > 5);
  CHECK((decide(early, settings, evictor_of("LPML")).decisions == fifo.decisions));
  CHECK((decide(workload, settings, evictor_of("LPML")).decisions !=
         decide(workload, settings, evictor_of("FIFO")).decisions));
}

TEST_CASE("simulate_group: a prepared LPML shares FIFO's run until day 3, to the bit") {
  for (std::uint64_t seed = 31; seed < 41; ++seed) {
    const RandomWorkloadOptions options{
        .seed = seed, .requests = 150, .host = {10, 12, 0}, .hosts = 5};
    const Workload workload = random_workload(options);
    const EventSchedule schedule = make_schedule(workload);
    const ChainSpec vm = chain_of("COS");
    const ChainSpec spot = chain_of("vmaDPD");
    std::vector<EvictorSpec> evictors{evictor_of("FIFO"), evictor_of("LPML"), evictor_of("LPO")};
    evictors[1].made = prepared_evictor(make_evictor(evictors[1]), workload, schedule);
    std::vector<AllocatorSpec> allocators;
    for (const EvictorSpec& evictor : evictors) {
      for (const bool saf : {false, true}) {
        for (const std::size_t otn : {1U, 32U}) {
          allocators.push_back({vm, spot, evictor, saf, otn});
        }
      }
    }
    simulate_group(schedule, options.host, options.hosts, allocators,
                   [&](std::size_t index, const RunResult& result) {
                     const AllocatorSpec& one = allocators[index];
                     const Settings settings{options.host, options.hosts,    "COS",
                                             "vmaDPD",     one.evictor.name, one.saf,
                                             one.otn.otn()};
                     CAPTURE(reference::describe(settings));
                     const RunResult expected = reference::simulate(workload, settings).result;
                     CHECK(result.evictions == expected.evictions);
                     CHECK((result.spot_revenue == expected.spot_revenue));
                   });
  }
}

TEST_CASE("read_spot_traits: the last instance of the customer that has departed, by hand") {
  Workload workload = worked::workload_of({
      worked::vm({1, 1}, day(0), day(2)),    // 0
      worked::spot({1, 1}, day(1), day(4)),  // 1: nothing has departed yet
      worked::spot({2, 1}, day(2), day(3)),  // 2: 0 departs at the same time, before
      worked::spot({1, 1}, day(3), day(3)),  // 3: nothing of b, itself has not
      worked::spot({1, 1}, day(3), day(9)),  // 4: 3 came and went: 0 days
      worked::spot({1, 1}, day(5)),          // 5: 1 departed last: 3 days
      worked::spot({1, 1}, day(5)),          // 6
  });
  for (std::size_t i = 0; i < workload.rows.size(); ++i) {
    workload.rows[i].tenant = std::string(1, "aaabbac"[i]);
  }
  const std::vector<SpotTraits> traits = read_spot_traits(workload, make_schedule(workload));
  const std::vector<SimTime> expected{kNever, 2 * kDay, kNever, SimTime(0), 3 * kDay, kNever};
  REQUIRE(traits.size() == expected.size());
  for (std::size_t i = 0; i < traits.size(); ++i) {
    CAPTURE(i);
    CHECK(traits[i].instance == i + 1);
    CHECK(traits[i].previous_lifetime == expected[i]);
    CHECK((traits[i].resources == workload.rows[i + 1].resources));
    CHECK(traits[i].requested_at == workload.rows[i + 1].start);
  }
}

TEST_CASE("read_spot_traits: agrees with a search through the whole workload") {
  for (std::uint64_t seed = 51; seed < 71; ++seed) {
    const Workload workload = random_workload({.seed = seed, .requests = 200});
    for (const SpotTraits& traits : read_spot_traits(workload, make_schedule(workload))) {
      CAPTURE(traits.instance);
      CHECK(traits.previous_lifetime == reference::previous_lifetime(workload, traits.instance));
    }
  }
}

}  // namespace
}  // namespace cospot
