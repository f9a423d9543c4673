// Priority levels: against the slow simulator, against the engine of two levels, and by hand.
#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/random.hpp"
#include "filters/economy_filter.hpp"
#include "sim_harness/engine/allocator.hpp"
#include "sim_harness/engine/level_engine.hpp"
#include "sim_harness/engine/simulation_engine.hpp"
#include "sim_harness/studies/levels/level_run.hpp"
#include "tests/cpp/random_workload.hpp"
#include "tests/cpp/reference_levels.hpp"

namespace cospot {
namespace {

using reference::LevelSettings;

ChainSpec chain_named(const std::string& weigher) {
  return {.label = weigher, .weighers = {{.name = weigher}}};
}

LevelAllocator allocator_of(const LevelSettings& settings) {
  const ChainSide side = settings.saf ? ChainSide::kVmAvoidingSpots : ChainSide::kVm;
  LevelAllocator allocator{
      .chains = {},
      .evictor = make_evictor({.label = settings.evictor, .name = settings.evictor}),
      .otn = settings.otn};
  for (std::size_t level = 0; level + 1 < settings.levels; ++level) {
    ChainSpec spec = chain_named(settings.vm);
    if (level == 1 && settings.promised_vcpus >= 0) {
      spec.filters.push_back({.name = "EconomyPromise"});
    }
    allocator.chains.push_back(make_chain(spec, side));
  }
  allocator.chains.push_back(make_chain(chain_named(settings.spot), ChainSide::kSpot));
  return allocator;
}

/// A level for each row; the lowest one for spots more often than not.
std::vector<std::uint8_t> random_levels(const Workload& workload, std::size_t levels,
                                        std::uint64_t seed) {
  Random random(seed);
  std::vector<std::uint8_t> drawn;
  for (const WorkloadRow& row : workload.rows) {
    const auto lower = static_cast<std::uint8_t>(1 + random.below(levels - 1));
    drawn.push_back(row.is_spot() ? lower : 0);
  }
  return drawn;
}

void check_against_reference(const Workload& workload, const LevelSettings& settings) {
  CAPTURE(workload.name);
  CAPTURE(settings.vm);
  CAPTURE(settings.spot);
  CAPTURE(settings.evictor);
  CAPTURE(settings.saf);
  CAPTURE(settings.otn);
  CAPTURE(settings.levels);
  const EventSchedule schedule = make_schedule(workload);
  LevelEngine engine(schedule, settings.level_of, HostTable::uniform(settings.hosts, settings.host),
                     allocator_of(settings));
  const std::vector<PromiseStep> steps{
      {.from = SimTime::min(), .vcpus = settings.promised_vcpus, .memory_mb = 1'000'000}};
  PromiseOwner owner(steps, workload, settings.level_of);
  if (settings.promised_vcpus >= 0) engine.set_forecasts(&owner);
  engine.run();
  const reference::LevelOutcome expected = reference::simulate_levels(workload, settings);
  CHECK(engine.placements() == expected.placements);
  CHECK(engine.results() == expected.results);
}

TEST_CASE("level engine: agrees with the slow simulator on random small clouds") {
  static constexpr std::array<const char*, 3> kVm{"UTIL", "COS", "DPD"};
  static constexpr std::array<const char*, 6> kSpot{"sUTIL",   "sCOS",   "sDPD",
                                                    "vmaUTIL", "vmaCOS", "vmaDPD"};
  static constexpr std::array<const char*, 3> kEvictors{"FIFO", "YJF", "LPO"};
  std::uint64_t economy_evictions = 0, spot_evictions = 0;
  for (std::uint64_t seed = 0; seed < 90; ++seed) {
    const Workload workload = random_workload({.seed = seed, .spot_percent = 60});
    LevelSettings settings{.host = {10, 10, 0},
                           .hosts = 4,
                           .levels = seed % 5 == 4 ? std::size_t{4} : std::size_t{3},
                           .vm = kVm[seed % 3],
                           .spot = kSpot[seed % 6],
                           .evictor = kEvictors[seed / 3 % 3],
                           .saf = seed % 2 == 1,
                           .otn = 1 + seed / 9 % 3};
    if (seed % 4 == 3) settings.promised_vcpus = 8;
    settings.level_of = random_levels(workload, settings.levels, seed);
    check_against_reference(workload, settings);
    const auto results = reference::simulate_levels(workload, settings).results;
    economy_evictions += results[1].evictions;
    spot_evictions += results.back().evictions;
  }
  // The clouds are such that both happen often.
  CHECK(economy_evictions > 100);
  CHECK(spot_evictions > 500);
}

TEST_CASE("level engine: two levels are the engine of VMs and spots") {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Workload workload = random_workload({.seed = seed});
    LevelSettings settings{.host = {10, 10, 0},
                           .hosts = 4,
                           .levels = 2,
                           .vm = seed % 2 == 0 ? "COS" : "DPD",
                           .spot = "sUTIL",
                           .evictor = seed % 3 == 0 ? "LPO" : "FIFO",
                           .saf = seed % 4 == 1,
                           .otn = 1 + seed % 3};
    for (const WorkloadRow& row : workload.rows) {
      settings.level_of.push_back(row.is_spot() ? 1 : 0);
    }
    const EventSchedule schedule = make_schedule(workload);
    LevelAllocator levels = allocator_of(settings);
    LevelEngine engine(schedule, settings.level_of, HostTable::uniform(4, settings.host), levels);
    engine.run();
    SimulationEngine expected(schedule, HostTable::uniform(4, settings.host),
                              {.vm = levels.chains[0],
                               .spot = levels.chains[1],
                               .evictor = levels.evictor,
                               .otn = settings.otn});
    expected.run();
    const RunResult result = expected.result();
    const std::vector<LevelResult>& of = engine.results();
    CHECK(of[0].rejected == result.vm_rejected);
    CHECK((of[0].revenue == result.vm_revenue));
    CHECK(of[1].requests - of[1].rejected == result.spot_admitted);
    CHECK(of[1].evictions == result.evictions);
    CHECK((of[1].revenue == result.spot_revenue));
  }
}

WorkloadRow row(ResourceAmount vcpus, int start_hour, int end_hour, bool is_spot) {
  return {.resources = {vcpus, vcpus, 0},
          .instance_class = is_spot ? InstanceClass::kSpot : InstanceClass::kVm,
          .start = std::chrono::hours(start_hour),
          .end = std::chrono::hours(end_hour)};
}

TEST_CASE("level engine: VMs take spots first, and economy instances only where they must") {
  Workload workload{.name = "w"};
  // One host of 10. Economy 4 and spots 2 + 3 run. A VM of 4 needs 3: the first spot, then the
  // second go, the economy instance stays. A VM of 5 then needs 3 of the economy instance's 4.
  workload.rows = {row(4, 0, 100, true), row(2, 1, 100, true), row(3, 2, 100, true),
                   row(4, 3, 100, false), row(5, 4, 100, false)};
  const LevelSettings settings{.host = {10, 10, 0}, .hosts = 1, .level_of = {1, 2, 2, 0, 0}};
  const EventSchedule schedule = make_schedule(workload);
  LevelEngine engine(schedule, settings.level_of, HostTable::uniform(1, settings.host),
                     allocator_of(settings));
  engine.run();
  CHECK(engine.results()[2].evictions == 2);
  CHECK(engine.results()[1].evictions == 1);
  CHECK(engine.results()[0].rejected == 0);
  // Economy: 4 vcpus for 4 hours of 100. Spots: 2 for 2 hours, 3 for 1 hour.
  const Revenue hour = std::chrono::microseconds(std::chrono::hours(1)).count();
  CHECK((engine.results()[1].revenue == 16 * hour));
  CHECK((engine.results()[2].revenue == 7 * hour));
  CHECK(engine.host_of(0) == kNoHost);
  CHECK(engine.host_of(4) == 0);
}

TEST_CASE(
    "level engine: where an economy instance must go, no more spots go than are needed then") {
  Workload workload{.name = "w"};
  // One host of 10: economy 6, spots 2 + 2. A VM of 5 needs 5: both spots are not enough (4), so
  // the economy instance goes, and frees enough alone.
  workload.rows = {row(6, 0, 100, true), row(2, 1, 100, true), row(2, 2, 100, true),
                   row(5, 3, 100, false)};
  const LevelSettings settings{.host = {10, 10, 0}, .hosts = 1, .level_of = {1, 2, 2, 0}};
  const EventSchedule schedule = make_schedule(workload);
  LevelEngine engine(schedule, settings.level_of, HostTable::uniform(1, settings.host),
                     allocator_of(settings));
  engine.run();
  CHECK(engine.results()[1].evictions == 1);
  CHECK(engine.results()[2].evictions == 0);
}

TEST_CASE("level engine: of the offered hosts, one where no economy instance is evicted wins") {
  Workload workload{.name = "w"};
  // Hosts of 10. First fit puts economy 9 on host 0 and spots 5 + 4 on host 1. UTIL offers both to
  // a VM of 10, host 0 first; two spots are evicted rather than one economy instance.
  workload.rows = {row(9, 0, 100, true), row(5, 1, 100, true), row(4, 2, 100, true),
                   row(10, 3, 100, false)};
  LevelSettings settings{.host = {10, 10, 0}, .hosts = 2, .level_of = {1, 2, 2, 0}, .otn = 2};
  const EventSchedule schedule = make_schedule(workload);
  LevelEngine engine(schedule, settings.level_of, HostTable::uniform(2, settings.host),
                     allocator_of(settings));
  engine.run();
  CHECK(engine.host_of(3) == 1);
  CHECK(engine.results()[1].evictions == 0);
  CHECK(engine.results()[2].evictions == 2);
}

TEST_CASE("EconomyPromise: every host passes while the promise lasts, none where there is none") {
  const HostTable hosts = HostTable::uniform(2, {10, 10, 0});
  const std::array<HostIndex, 2> candidates{0, 1};
  const EconomyPromise promise{
      .promised_vcpus = 8, .promised_memory_mb = 10, .used_vcpus = 5, .used_memory_mb = 7};
  const Forecasts forecasts{.economy = &promise};
  const EconomyFilter plain(PluginOptions{});
  const auto passes = [&](ResourceAmount vcpus, const Forecasts* known,
                          ResourceAmount memory_mb = 0, const EconomyFilter* filter = nullptr) {
    std::array<std::uint8_t, 2> passed{};
    Request request{.vcpus = vcpus, .memory_mb = memory_mb};
    request.forecasts = known;
    (filter == nullptr ? plain : *filter).filter_all(hosts.view(), candidates, request, passed);
    CHECK(passed[0] == passed[1]);
    return passed[0] == 1;
  };
  CHECK(passes(3, &forecasts));  // 5 + 3 <= 8
  CHECK_FALSE(passes(4, &forecasts));
  CHECK(passes(3, &forecasts, 3));  // 7 + 3 <= 10
  CHECK_FALSE(passes(3, &forecasts, 4));
  // Nobody says what is promised: as before the first prediction, nothing is.
  const Forecasts none;
  CHECK_FALSE(passes(1, nullptr));
  CHECK_FALSE(passes(1, &none));
  const EconomyFilter admitting(
      PluginOptions("EconomyPromise", {{"before_first_refresh", "admit"}}));
  CHECK(passes(100, nullptr, 0, &admitting));
  CHECK(passes(100, &none, 0, &admitting));
  CHECK_FALSE(passes(4, &forecasts, 0, &admitting));  // once it is known, it holds
  CHECK_THROWS_AS(EconomyFilter(PluginOptions("EconomyPromise", {{"before_first_refresh", "no"}})),
                  ConfigError);
  CHECK_THROWS_AS(EconomyFilter(PluginOptions("EconomyPromise", {{"promise", 1.0}})), ConfigError);
}

TEST_CASE("levels: a larger share of the spots holds a smaller one") {
  const Workload workload = random_workload({.seed = 3, .requests = 2000});
  const auto few = levels_of(workload, 10, 1), many = levels_of(workload, 40, 1);
  std::size_t spots = 0, economy = 0;
  for (std::size_t i = 0; i < few.size(); ++i) {
    CHECK((few[i] == 0) == !workload.rows[i].is_spot());
    if (few[i] == 1) CHECK(many[i] == 1);
    spots += workload.rows[i].is_spot() ? 1 : 0;
    economy += few[i] == 1 ? 1 : 0;
  }
  // 10 % of about 900: a standard deviation of 9.
  CHECK(std::abs(static_cast<double>(economy) - 0.1 * static_cast<double>(spots)) < 40);
}

}  // namespace
}  // namespace cospot
