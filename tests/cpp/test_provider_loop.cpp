// All parts of the one loop together, against the slow simulator of the whole datacenter.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/random.hpp"
#include "sim_harness/provider/forecasts/spot_forecasts.hpp"
#include "sim_harness/provider/loop/simulation_engine.hpp"
#include "sim_harness/provider/run/allocator.hpp"
#include "sim_harness/studies/provider/parts/economy_levels.hpp"
#include "tests/cpp/life_fixtures.hpp"
#include "tests/cpp/one_case_in.hpp"
#include "tests/cpp/random_workload.hpp"
#include "tests/cpp/reference_provider.hpp"

namespace cospot {
namespace {

using reference::ProviderCase;
using reference::ProviderOutcome;

ChainSpec spot_chain(const ProviderCase& one) {
  ChainSpec chain = chain_of(one.spot);
  if (one.has_sla) {
    chain.filters.push_back({.name = "LifetimeSla",
                             .options = {{"target", one.sla_target},
                                         {"refresh_hours", 12.0},
                                         {"samples", 40.0},
                                         {"asked_factor", one.sla_asked_factor},
                                         {"asking_percent", one.sla_asking_percent}}});
  }
  const ReservedCapacity& reserved = one.reserve.reserved;
  if (reserved.count > 0) {
    chain.filters.push_back({.name = "Reserve",
                             .options = {{"vcpus", std::int64_t{reserved.size.vcpus}},
                                         {"memory_mb", std::int64_t{reserved.size.memory_mb}},
                                         {"count", reserved.count}}});
  }
  return chain;
}

Allocator case_allocator(const ProviderCase& one, bool with_placements) {
  const ChainSide side = one.saf ? ChainSide::kVmAvoidingSpots : ChainSide::kVm;
  Allocator allocator{.vm = make_chain(chain_of(one.vm), side, with_placements),
                      .spot = make_chain(spot_chain(one), ChainSide::kSpot, with_placements),
                      .evictor = make_evictor(evictor_of(one.evictor)),
                      .otn = one.otn};
  for (std::size_t level = 1; level + 1 < one.levels; ++level) {
    ChainSpec between = chain_of(one.vm);
    if (level == 1 && one.promised_vcpus >= 0) {
      between.filters.push_back({.name = "EconomyPromise"});
    }
    allocator.between.push_back(make_chain(between, side, with_placements));
  }
  return allocator;
}

ProviderOutcome simulate_case(const Workload& workload, const ProviderCase& one, bool is_watched) {
  const EventSchedule schedule = make_schedule(workload);
  reference::Settings cloud{.hosts = one.hosts.size(), .each = one.hosts};
  const std::vector<std::uint32_t> tenants = tenant_numbers(workload);
  std::optional<ReserveSettings> reserve;
  if (one.reserve.reserved.count > 0) reserve = one.reserve;
  SimulationEngine engine(schedule, make_hosts(run_settings_of(cloud)),
                          case_allocator(one, schedule.has_placements()),
                          {.level_of = one.level_of,
                           .plan = &one.plan,
                           .schedulers = one.schedulers.empty() ? nullptr : &one.schedulers.front(),
                           .tenant_of = tenants,
                           .reserve = reserve});
  const std::vector<PromiseStep> steps{
      {.from = SimTime::min(), .vcpus = one.promised_vcpus, .memory_mb = 1'000'000}};
  std::vector<std::unique_ptr<ForecastOwner>> owners;
  owners.push_back(make_spot_forecasts(schedule, engine.hosts(), spot_chain(one)));
  if (one.promised_vcpus >= 0) {
    owners.push_back(std::make_unique<PromiseOwner>(steps, workload, one.level_of));
  }
  const auto forecasts = combine_forecasts(std::move(owners));
  engine.set_forecasts(forecasts.get());
  LifeRecorder recorder(workload);
  if (is_watched) engine.set_observer(&recorder);
  engine.run();
  return {.events = std::move(recorder.events),
          .levels = engine.level_outcomes(),
          .life = engine.life_result(),
          .schedulers = engine.scheduler_result(),
          .promises = engine.result().promises,
          .promises_broken = engine.result().promises_broken,
          .notices = engine.notice_result()};
}

void check_same_outcome(const ProviderOutcome& outcome, ProviderOutcome expected) {
  CHECK((outcome.notices == expected.notices));
  expected.life.run = outcome.life.run;  // which is made of the levels
  CHECK(outcome.promises == expected.promises);
  CHECK(outcome.promises_broken == expected.promises_broken);
  check_same_life(outcome.life, expected.life);
  CHECK(outcome.schedulers.evictions == expected.schedulers.evictions);
  CHECK(outcome.schedulers.evictions_averted == expected.schedulers.evictions_averted);
  CHECK(outcome.schedulers.evictions_needless == 0);
  CHECK(outcome.schedulers.retries == expected.schedulers.retries);
  CHECK(outcome.schedulers.placements == expected.schedulers.placements);
  CHECK((outcome.schedulers.delay == expected.schedulers.delay));
  CHECK((outcome.schedulers.longest_delay == expected.schedulers.longest_delay));
  REQUIRE(outcome.levels.size() == expected.levels.size());
  for (std::size_t level = 0; level < expected.levels.size(); ++level) {
    CAPTURE(level);
    const LevelOutcome& found = outcome.levels[level];
    const LevelOutcome& wanted = expected.levels[level];
    CHECK(found.requests == wanted.requests);
    CHECK(found.not_placed == wanted.not_placed);
    CHECK(found.evictions == wanted.evictions);
    CHECK(found.commits == wanted.commits);
    CHECK(found.conflicts == wanted.conflicts);
    CHECK((found.revenue_requested == wanted.revenue_requested));
    for (std::size_t cause = 0; cause < kLossCauses; ++cause) {
      CAPTURE(cause);
      CHECK((found.revenue_lost[cause] == wanted.revenue_lost[cause]));
    }
  }
}

/// What a case has; every one of them comes with every other.
struct Parts {
  bool levels = false, schedulers = false, outages = false, retries = false, resizes = false;
  bool sla = false, groups = false, mixed = false, reserve = false;
};

ProviderCase random_provider_case(std::uint64_t seed, const Parts& parts, Workload& workload) {
  static constexpr std::array<const char*, 3> kVm{"UTIL", "COS", "DPD"};
  static constexpr std::array<const char*, 6> kSpot{"sUTIL",   "sCOS",   "sDPD",
                                                    "vmaUTIL", "vmaCOS", "vmaDPD"};
  static constexpr std::array<const char*, 3> kEvictors{"FIFO", "YJF", "LPO"};
  static constexpr std::array<ResourceVector, 3> kTotals{
      ResourceVector{10, 10, 0}, {6, 12, 0}, {14, 8, 0}};
  Random random(seed + 7000);
  ProviderCase one{.vm = kVm[random.below(3)],
                   .spot = kSpot[random.below(6)],
                   .evictor = kEvictors[random.below(3)],
                   .saf = random.below(2) == 0,
                   .otn = 1 + random.below(4)};
  for (std::size_t i = 0; i < 4; ++i) {
    one.hosts.push_back({.total = kTotals[parts.mixed ? random.below(3) : 0]});
  }
  if (parts.levels) {
    one.levels = 3 + random.below(2);
    for (const WorkloadRow& row : workload.rows) {
      const auto lower = static_cast<std::uint8_t>(1 + random.below(one.levels - 1));
      one.level_of.push_back(row.is_spot() ? lower : 0);
    }
    if (random.below(2) == 0) one.promised_vcpus = 8;
  }
  if (parts.schedulers) {
    static constexpr std::array<std::int64_t, 3> kRefreshHours{0, 5, 50};
    static constexpr std::array<std::int64_t, 3> kDecisionMinutes{0, 20, 360};
    one.schedulers.push_back(
        {.schedulers = 1 + random.below(4),
         .deal = random.below(4) == 0 ? DealRule::kByTenant : DealRule::kByRequest,
         .refresh_interval = std::chrono::hours(kRefreshHours[random.below(3)]),
         .decision_time = std::chrono::minutes(kDecisionMinutes[random.below(3)]),
         .commit = random.below(2) == 0 ? CommitRule::kGeneration : CommitRule::kCapacity,
         .retry = random.below(2) == 0 ? RetryRule::kAlternates : RetryRule::kRefresh,
         .retries = random.below(3),
         .host_subset_size = 1 + random.below(3),
         .seed = seed});
  }
  one.plan = random_plan(seed, workload, one.hosts.size(),
                         {.retries = parts.retries,
                          .failures = parts.outages,
                          .maintenance = parts.outages,
                          .resizes = parts.resizes});
  one.has_sla = parts.sla;
  if (parts.sla && random.below(2) == 0) {
    // Promises that end before their spots, and spots that have none.
    one.sla_asked_factor = random.below(2) == 0 ? 0.5 : 1;
    one.sla_asking_percent = random.below(2) == 0 ? 60 : 100;
  }
  if (parts.groups) add_groups(seed, workload);
  if (parts.reserve) {
    const auto amount = [&random] { return static_cast<ResourceAmount>(1 + random.below(5)); };
    one.reserve.reserved = {.size = {amount(), amount(), 0},
                            .count = static_cast<std::int64_t>(1 + random.below(5))};
    if (random.below(4) == 0) one.reserve.reserved.size.vcpus = 0;
    // A notice may end when something else happens, or between.
    one.reserve.notice = random.below(3) == 0 ? std::chrono::minutes(50) : ticks(random, 5);
  }
  return one;
}

/// What has happened in all runs of a test, so that none is about nothing.
struct Sums {
  std::uint64_t evictions = 0, stopped = 0, returned = 0, late = 0, evacuated = 0, migrated = 0,
                resized = 0, conflicts = 0, economy_evictions = 0, rejected_spots = 0, promises = 0,
                promises_broken = 0, full_notices = 0, short_notices = 0, withdrawn = 0,
                without_notice = 0;
};

/// The sums are of all cases, also where one in several is looked at.
Sums check_random_cases(std::uint64_t first_seed, std::uint64_t count, const Parts& parts) {
  Sums sums;
  const std::uint64_t one_in = one_case_in();
  for (std::uint64_t seed = first_seed; seed < first_seed + count; seed += one_in) {
    CAPTURE(seed);
    Workload workload = random_workload({.seed = seed, .requests = 70, .spot_percent = 60});
    const ProviderCase one = random_provider_case(seed, parts, workload);
    const ProviderOutcome expected = reference::simulate_provider(workload, one);
    const ProviderOutcome watched = simulate_case(workload, one, true);
    const auto differ = std::ranges::mismatch(watched.events, expected.events);
    const std::string found = differ.in1 == watched.events.end() ? "(no more)" : *differ.in1;
    const std::string wanted = differ.in2 == expected.events.end() ? "(no more)" : *differ.in2;
    REQUIRE(found == wanted);
    check_same_outcome(watched, expected);
    check_same_outcome(simulate_case(workload, one, false), expected);
    for (std::size_t level = 0; level < expected.levels.size(); ++level) {
      sums.evictions += expected.levels[level].evictions * one_in;
      sums.conflicts += expected.levels[level].conflicts * one_in;
    }
    if (parts.levels) sums.economy_evictions += expected.levels[1].evictions * one_in;
    sums.rejected_spots += expected.levels.back().rejected() * one_in;
    sums.promises += expected.promises * one_in;
    sums.promises_broken += expected.promises_broken * one_in;
    sums.full_notices += expected.notices.evictions_with_full_notice * one_in;
    sums.short_notices += expected.notices.evictions_with_short_notice * one_in;
    sums.without_notice += expected.notices.evictions_without_notice() * one_in;
    sums.withdrawn += expected.notices.withdrawn * one_in;
    const LifeResult& life = expected.life;
    sums.stopped += (life.spots_lost + life.spots_stopped) * one_in;
    sums.returned += life.spots_returned * one_in;
    sums.late += (life.vms_late + life.spots_late) * one_in;
    sums.evacuated += life.vms_evacuated * one_in;
    sums.migrated += life.vms_migrated * one_in;
    sums.resized += (life.resizes_in_place + life.resizes_moved) * one_in;
  }
  return sums;
}

TEST_CASE("one loop: lifetime SLA, host failures and retries") {
  const Sums with =
      check_random_cases(0, 150, {.outages = true, .retries = true, .sla = true, .mixed = true});
  CHECK(with.stopped > 100);
  CHECK(with.returned > 50);
  CHECK(with.promises > 300);
  CHECK(with.promises_broken > 20);
  CHECK(with.evictions >
        with.promises_broken + 100);  // of those without one, or for whom it is over
  const Sums without = check_random_cases(0, 20, {.outages = true, .retries = true, .mixed = true});
  const Sums same =
      check_random_cases(0, 20, {.outages = true, .retries = true, .sla = true, .mixed = true});
  CHECK(same.rejected_spots > without.rejected_spots);
}

TEST_CASE("one loop: three and four levels, several schedulers, mixed hosts") {
  const Sums sums =
      check_random_cases(1000, 200, {.levels = true, .schedulers = true, .mixed = true});
  CHECK(sums.economy_evictions > 100);
  CHECK(sums.conflicts > 300);
}

TEST_CASE("one loop: levels, lifetime SLA and maintenance") {
  const Sums sums = check_random_cases(2000, 150, {.levels = true, .outages = true, .sla = true});
  CHECK(sums.migrated > 50);
  CHECK(sums.evacuated > 50);
}

TEST_CASE("one loop: several schedulers, outages, retries and resizes") {
  const Sums sums = check_random_cases(
      3000, 200, {.schedulers = true, .outages = true, .retries = true, .resizes = true});
  CHECK(sums.late > 100);
  CHECK(sums.resized > 100);
}

TEST_CASE("one loop: a reserve, and notices") {
  const Sums alone = check_random_cases(6000, 250, {.mixed = true, .reserve = true});
  CHECK(alone.full_notices > 300);
  CHECK(alone.short_notices > 10);
  CHECK(alone.without_notice > 300);
  CHECK(alone.withdrawn > 100);
  const Sums promised = check_random_cases(6500, 150, {.sla = true, .reserve = true});
  CHECK(promised.promises_broken > 20);
  CHECK(promised.full_notices > 100);
}

TEST_CASE("one loop: all parts at once") {
  const Sums sums = check_random_cases(4000, 250,
                                       {.levels = true,
                                        .schedulers = true,
                                        .outages = true,
                                        .retries = true,
                                        .resizes = true,
                                        .sla = true,
                                        .groups = true,
                                        .mixed = true,
                                        .reserve = true});
  CHECK(sums.evictions > 500);
  CHECK(sums.conflicts > 300);
  CHECK(sums.returned > 50);
}

TEST_CASE("one loop: every combination of parts") {
  for (std::uint64_t bits = 0; bits < 512; ++bits) {
    const auto has = [bits](unsigned part) { return (bits >> part & 1) != 0; };
    CAPTURE(bits);
    check_random_cases(5000 + 2 * bits, 2,
                       {.levels = has(0),
                        .schedulers = has(1),
                        .outages = has(2),
                        .retries = has(3),
                        .resizes = has(4),
                        .sla = has(5),
                        .groups = has(6),
                        .mixed = has(7),
                        .reserve = has(8)});
  }
}

}  // namespace
}  // namespace cospot
