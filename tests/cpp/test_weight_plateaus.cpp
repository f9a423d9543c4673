// Runs of the engine by weighers on which many hosts tie: with hosts kept in order of their keys
// they come to the same as with scans of all hosts.
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "filters/feasibility_filter.hpp"
#include "filters/spot_avoiding_filter.hpp"
#include "sim_harness/provider/loop/simulation_engine.hpp"
#include "sim_harness/provider/run/allocator.hpp"
#include "tests/cpp/engine_checks.hpp"
#include "tests/cpp/plateau_weighers.hpp"
#include "tests/cpp/random_workload.hpp"

namespace cospot {
namespace {

constexpr ResourceVector kPlateauHost{60, 90, 0};

std::shared_ptr<const Chain> chain_with(std::unique_ptr<Weigher> weigher, Sees feasible, bool saf) {
  std::vector<std::unique_ptr<Filter>> filters;
  if (feasible == Sees::kVms) {
    filters.push_back(std::make_unique<VmFeasibilityFilter>(PluginOptions{}));
  } else {
    filters.push_back(std::make_unique<SpotFeasibilityFilter>(PluginOptions{}));
  }
  if (saf) filters.push_back(std::make_unique<SpotAvoidingFilter>(PluginOptions{}));
  std::vector<Chain::WeighedBy> weighers;
  weighers.push_back({std::move(weigher), 1.0});
  return std::make_shared<const Chain>(std::move(filters), std::move(weighers));
}

Allocator plateau_allocator(const PlateauWeigher& by, bool scanned, bool saf, std::size_t otn) {
  const auto weigher = [&]() -> std::unique_ptr<Weigher> {
    std::unique_ptr<Weigher> keyed = by.make(kPlateauHost);
    if (!scanned) return keyed;
    return std::make_unique<ScannedWeigher>(std::move(keyed));
  };
  return {.vm = chain_with(weigher(), Sees::kVms, saf),
          .spot = chain_with(weigher(), Sees::kVmsAndSpots, false),
          .evictor = make_evictor(evictor_of("FIFO")),
          .otn = otn};
}

/// Half of the hosts have a half of the memory.
HostTable hosts_of(std::size_t count, bool of_two_types) {
  if (!of_two_types) return HostTable::uniform(count, kPlateauHost);
  std::vector<HostSpec> specs;
  for (std::size_t i = 0; i < count; ++i) {
    const ResourceAmount parts = i % 2 == 0 ? 2 : 1;
    specs.push_back(
        {.name = "host", .total = {kPlateauHost.vcpus, kPlateauHost.memory_mb / 2 * parts, 0}});
  }
  return HostTable(specs);
}

/// Unwatched, as a sweep runs: offers are made lazily.
void check_same_run(const EventSchedule& schedule, const HostTable& hosts, const Allocator& keyed,
                    const Allocator& scanned) {
  SimulationEngine engine(schedule, hosts, keyed);
  SimulationEngine expected(schedule, hosts, scanned);
  CHECK(engine.run() == RunPause::kFinished);
  CHECK(expected.run() == RunPause::kFinished);
  check_same_result(engine.result(), expected.result());
}

TEST_CASE("SimulationEngine: weighers on which hosts tie run as if all hosts were scanned") {
  constexpr std::size_t kHosts = 12;
  const Workload workload =
      random_workload({.seed = 3, .requests = 1200, .host = kPlateauHost, .hosts = kHosts});
  const EventSchedule schedule = make_schedule(workload);
  for (const PlateauWeigher& weigher : plateau_weighers()) {
    CAPTURE(weigher.what);
    for (const bool of_two_types : {false, true}) {
      const HostTable hosts = hosts_of(kHosts, of_two_types);
      for (const bool saf : {false, true}) {
        for (const std::size_t otn : {1U, 2U, 4U, 16U}) {
          CAPTURE(of_two_types);
          CAPTURE(saf);
          CAPTURE(otn);
          check_same_run(schedule, hosts, plateau_allocator(weigher, false, saf, otn),
                         plateau_allocator(weigher, true, saf, otn));
        }
      }
    }
  }
}

}  // namespace
}  // namespace cospot
