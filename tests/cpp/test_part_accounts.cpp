// The accounts of a plan: by part of the window, and by class of promised lifetimes.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/policy/forecasts.hpp"
#include "core/random.hpp"
#include "guarantees/economy/economy_promise.hpp"
#include "guarantees/sla/lifetime_quantiles.hpp"
#include "sim_harness/advise/part_accounts.hpp"
#include "sim_harness/provider/loop/simulation_engine.hpp"
#include "sim_harness/provider/run/allocator.hpp"
#include "tests/cpp/life_fixtures.hpp"
#include "tests/cpp/random_workload.hpp"
#include "tests/cpp/reference_provider.hpp"

namespace cospot {
namespace {

constexpr std::chrono::hours kAccountHour{1};

WorkloadRow account_row(InstanceClass instance_class, SimTime start, SimTime end,
                        ResourceAmount vcpus) {
  WorkloadRow made{};
  made.instance_class = instance_class;
  made.resources = {vcpus, 1, 0};
  made.start = start;
  made.end = end;
  return made;
}

Request request_of(const Workload& workload, InstanceIndex instance, SimTime time) {
  const WorkloadRow& of = workload.rows[instance];
  return {.vcpus = of.resources.vcpus,
          .memory_mb = of.resources.memory_mb,
          .instance_class = of.instance_class,
          .instance = instance,
          .time = time};
}

TEST_CASE("PartAccounts: what runs over a boundary earns on both sides of it") {
  // Three parts of two days.
  Workload workload{.name = "made", .window = 6 * kDay};
  workload.rows = {account_row(InstanceClass::kVm, -1 * kDay, kNever, 1),
                   account_row(InstanceClass::kSpot, 12 * kAccountHour, 5 * kDay, 3),
                   account_row(InstanceClass::kSpot, 4 * kDay, 5 * kDay, 2)};
  const EventSchedule schedule = make_schedule(workload);
  HostTable hosts = HostTable::uniform(1, {8, 8, 0});
  PartAccounts accounts(schedule, workload, {.window = workload.window, .count = 3}, {}, {}, hosts);
  accounts.placed(request_of(workload, 0, -1 * kDay), 0);
  accounts.placed(request_of(workload, 1, 12 * kAccountHour), 0);
  accounts.evicted(1, 0, request_of(workload, 0, 60 * kAccountHour));  // after 48 h
  const std::vector<PartAccount> parts = accounts.finish();
  const auto vcpu_hours = [](Revenue revenue) { return vcpu_seconds(revenue) / 3600; };
  // The VM runs all the time, what it did before the window does not count.
  for (const PartAccount& part : parts) CHECK(vcpu_hours(part.of(Level::kVm).earned) == 48);
  CHECK(parts[0].of(Level::kVm).requests == 1);
  // The spot: 36 h in the first part, 12 h in the second, of 3 vcpus each.
  CHECK(vcpu_hours(parts[0].of(Level::kSpot).earned) == 108);
  CHECK(vcpu_hours(parts[1].of(Level::kSpot).earned) == 36);
  CHECK(vcpu_hours(parts[2].of(Level::kSpot).earned) == 0);
  // It asked for 36 + 48 + 24 h of 3 vcpus, the other one for 24 h of 2.
  CHECK(vcpu_hours(parts[0].of(Level::kSpot).requested) == 108);
  CHECK(vcpu_hours(parts[1].of(Level::kSpot).requested) == 144);
  CHECK(vcpu_hours(parts[2].of(Level::kSpot).requested) == 72 + 48);
  CHECK(served_of(parts[1]) == 0.25);  // 36 h of 144 h
  CHECK(parts[1].of(Level::kSpot).evictions == 1);
  CHECK(parts[1].of(Level::kSpot).early == 0);
  CHECK(parts[0].of(Level::kSpot).placed == 1);
  // The spot runs on into the second part, the VM into both others.
  CHECK(parts[0].of(Level::kSpot).carried == 0);
  CHECK(parts[1].of(Level::kSpot).carried == 1);
  CHECK(parts[2].of(Level::kSpot).carried == 0);
  CHECK(parts[0].of(Level::kVm).carried == 0);
  CHECK(parts[2].of(Level::kVm).carried == 1);
}

TEST_CASE("PartAccounts: a promise counts in the part in which it was given") {
  Workload workload{.name = "made", .window = 6 * kDay};
  for (int i = 0; i < 4; ++i) {
    workload.rows.push_back(account_row(InstanceClass::kSpot, kAccountHour, 3 * kDay, 2));
  }
  const EventSchedule schedule = make_schedule(workload);
  HostTable hosts = HostTable::uniform(1, {8, 8, 0});
  // Where one more fits, 5 h; where two do, 50 h; where more do, 500 h.
  LifetimeQuantiles lifetimes({0.1}, SlotConditions(0), SimTime{0});
  lifetimes.set({2, 1, 0},
                {.observed = {1, 2, 3},
                 .quantiles = {{5 * kAccountHour, 50 * kAccountHour, 500 * kAccountHour}},
                 .samples = {1, 1, 1, 1}});
  const Forecasts forecasts{.lifetimes = &lifetimes};
  const std::vector<PromiseClass> classes{{.life = 4 * kAccountHour, .broken = 0.1},
                                          {.life = 24 * kAccountHour, .broken = 0.1}};
  PartAccounts accounts(schedule, workload, {.window = workload.window, .count = 3}, {}, classes,
                        hosts);
  const auto place = [&](InstanceIndex spot, SimTime time) {
    Request request = request_of(workload, spot, time);
    request.forecasts = &forecasts;
    hosts.add_spot(0, request.resources());  // the engine tells of it afterwards
    accounts.placed(request, 0);
  };
  place(0, kAccountHour);      // four fit: both classes
  place(1, 2 * kAccountHour);  // three fit: both
  place(2, 3 * kAccountHour);  // two fit: both
  place(3, 4 * kAccountHour);  // one fits: the first alone
  Request vm = request_of(workload, 0, 10 * kAccountHour);
  accounts.evicted(0, 0, vm);                 // 9 h: kept, broken
  accounts.departed(1, 0, 6 * kAccountHour);  // by its owner, after 4 h: kept, not tested
  accounts.departed(2, 0, 4 * kAccountHour);  // after an hour: neither tested
  const std::vector<PartAccount> parts = accounts.finish();  // the last one lives to the end: kept
  const PromiseTally& short_lives = parts[0].promises[0];
  CHECK(short_lives.given == 4);
  CHECK(short_lives.tested().promised == 3);
  CHECK(short_lives.tested().broken == 0);
  const PromiseTally& long_lives = parts[0].promises[1];
  CHECK(long_lives.given == 3);
  CHECK(long_lives.tested().promised == 1);
  CHECK(long_lives.tested().broken == 1);
  CHECK(parts[1].promises[0].given == 0);
  CHECK(parts[0].of(Level::kSpot).early == 1);  // the eviction after 9 h
}

TEST_CASE("PartAccounts: an outcome counts in the part in which it comes to be known") {
  // Three parts of two days. Both spots come at 40 h and are promised 4 and 24 h.
  Workload workload{.name = "made", .window = 6 * kDay};
  for (int i = 0; i < 2; ++i) {
    workload.rows.push_back(account_row(InstanceClass::kSpot, 40 * kAccountHour, 5 * kDay, 2));
  }
  const EventSchedule schedule = make_schedule(workload);
  HostTable hosts = HostTable::uniform(1, {8, 8, 0});
  LifetimeQuantiles lifetimes({0.1}, SlotConditions(0), SimTime{0});
  lifetimes.set({2, 1, 0},
                {.observed = {1}, .quantiles = {{500 * kAccountHour}}, .samples = {1, 1}});
  const Forecasts forecasts{.lifetimes = &lifetimes};
  const std::vector<PromiseClass> classes{{.life = 4 * kAccountHour, .broken = 0.1},
                                          {.life = 24 * kAccountHour, .broken = 0.1}};
  PartAccounts accounts(schedule, workload, {.window = workload.window, .count = 3}, {}, classes,
                        hosts);
  for (InstanceIndex spot = 0; spot < 2; ++spot) {
    Request request = request_of(workload, spot, 40 * kAccountHour);
    request.forecasts = &forecasts;
    hosts.add_spot(0, request.resources());
    accounts.placed(request, 0);
  }
  accounts.evicted(0, 0,
                   request_of(workload, 0, 49 * kAccountHour));  // after 9 h, on the third day
  accounts.departed(1, 0, 5 * kDay);
  const std::vector<PartAccount> parts = accounts.finish();
  CHECK(parts[0].promises[1].tested().promised == 2);
  // Kept at 44 h, twice, in the first part; broken at 49 h and kept at 64 h, in the second.
  CHECK(parts[0].outcomes[0].promised == 2);
  CHECK(parts[0].outcomes[0].broken == 0);
  CHECK(parts[0].outcomes[1].promised == 0);
  CHECK(parts[1].outcomes[0].promised == 0);
  CHECK(parts[1].outcomes[1].promised == 2);
  CHECK(parts[1].outcomes[1].broken == 1);
}

TEST_CASE("PartAccounts: an eviction after the promised time breaks no promise") {
  // Three parts of two days. Three Economy instances are promised until 48, 96 and 96 h.
  Workload workload{.name = "made", .window = 6 * kDay};
  for (int i = 0; i < 4; ++i) {
    workload.rows.push_back(account_row(InstanceClass::kSpot, kAccountHour, 6 * kDay, 2));
  }
  const EventSchedule schedule = make_schedule(workload);
  HostTable hosts = HostTable::uniform(1, {8, 8, 0});
  constexpr auto kLevel = static_cast<std::uint8_t>(Level::kEconomy);
  PartAccounts accounts(schedule, workload, {.window = workload.window, .count = 3},
                        {kLevel, kLevel, kLevel, static_cast<std::uint8_t>(Level::kSpot)}, {},
                        hosts);
  EconomyPromise promise{.promised_vcpus = 8, .promised_memory_mb = 8, .until = 2 * kDay};
  const Forecasts forecasts{.economy = &promise};
  const auto at = [&](InstanceIndex instance, SimTime time) {
    Request request = request_of(workload, instance, time);
    request.forecasts = &forecasts;
    return request;
  };
  accounts.placed(at(0, kAccountHour), 0);
  accounts.placed(at(3, kAccountHour), 0);
  promise.until = 4 * kDay;
  accounts.placed(at(1, 2 * kDay), 0);
  accounts.placed(at(2, 2 * kDay), 0);
  accounts.evicted(0, 0, at(0, 50 * kAccountHour));  // 2 h after its time
  accounts.evicted(1, 0, at(0, 95 * kAccountHour));  // an hour before its end
  accounts.evicted(2, 0, at(0, 96 * kAccountHour));  // at its end
  accounts.evicted(3, 0, at(0, 50 * kAccountHour));  // a spot
  const std::vector<PartAccount> parts = accounts.finish();
  CHECK(parts[1].of(Level::kEconomy).evictions == 2);
  CHECK(parts[1].of(Level::kEconomy).broken == 1);
  CHECK(parts[2].of(Level::kEconomy).evictions == 1);
  CHECK(parts[2].of(Level::kEconomy).broken == 0);
  CHECK(parts[1].of(Level::kSpot).broken == 0);
}

TEST_CASE("PartAccounts: the parts add up to what the engine says, whatever happens") {
  std::uint64_t evictions = 0;
  std::uint64_t outages = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    CAPTURE(seed);
    const Workload workload = random_workload({.seed = seed, .requests = 80, .spot_percent = 60});
    const EventSchedule schedule = make_schedule(workload);
    Random random(seed);
    std::vector<std::uint8_t> level_of;
    for (const WorkloadRow& one : workload.rows) {
      const auto lower = static_cast<std::uint8_t>(1 + random.below(2));
      level_of.push_back(one.is_spot() ? lower : std::uint8_t{0});
    }
    const reference::Settings cloud{.host = {10, 10, 0}, .hosts = 4};
    Allocator allocator{.vm = make_chain(chain_of("COS"), ChainSide::kVm, false),
                        .spot = make_chain(chain_of("vmaUTIL"), ChainSide::kSpot, false),
                        .evictor = make_evictor(evictor_of("FIFO")),
                        .otn = 1 + random.below(4)};
    allocator.between.push_back(make_chain(chain_of("COS"), ChainSide::kVm, false));
    const LifePlan plan = random_plan(
        seed, workload, cloud.hosts,
        {.retries = true, .failures = seed % 2 == 0, .maintenance = true, .resizes = true});
    SimulationEngine engine(schedule, make_hosts(run_settings_of(cloud)), allocator,
                            {.level_of = level_of, .plan = &plan});
    PartAccounts accounts(schedule, workload, {.window = workload.window, .count = 5}, level_of, {},
                          engine.hosts());
    engine.set_observer(&accounts);
    engine.run();
    const std::vector<PartAccount> parts = accounts.finish();
    const std::vector<LevelOutcome> levels = engine.level_outcomes();
    for (std::size_t level = 0; level < kLevels; ++level) {
      CAPTURE(level);
      LevelAccount sum;
      for (const PartAccount& part : parts) {
        sum.earned += part.levels[level].earned;
        sum.requests += part.levels[level].requests;
        sum.evictions += part.levels[level].evictions;
      }
      CHECK((sum.earned == levels[level].revenue()));
      CHECK(sum.requests == levels[level].requests);
      CHECK(sum.evictions == levels[level].evictions);
      evictions += sum.evictions;
    }
    outages += engine.life_result().vms_evacuated;
  }
  CHECK(evictions > 300);
  CHECK(outages > 100);
}

}  // namespace
}  // namespace cospot
