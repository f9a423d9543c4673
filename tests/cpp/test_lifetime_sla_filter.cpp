#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/policy/forecasts.hpp"
#include "filters/lifetime_sla_filter.hpp"
#include "guarantees/sla/lifetime_quantiles.hpp"
#include "sim_harness/provider/forecasts/lifetime_forecast.hpp"
#include "sim_harness/provider/loop/run_group.hpp"
#include "sim_harness/provider/loop/simulation_engine.hpp"
#include "sim_harness/provider/run/allocator.hpp"
#include "tests/cpp/engine_checks.hpp"
#include "tests/cpp/error_text.hpp"
#include "tests/cpp/worked_scenarios.hpp"

namespace cospot {
namespace {

using worked::day;

using std::chrono::seconds;

PluginOptions options(std::map<std::string, PluginOptions::Value> values) {
  return PluginOptions("LifetimeSla", std::move(values));
}

/// Two hosts that have room for 1 + 2 spots of 2 x 4: vcpus allow 2 and 3, memory 1 and 2.
HostTable two_hosts() {
  return HostTable({{.name = "a", .total = {4, 7}},
                    {.name = "b", .total = {16, 16}, .vm_used = {8, 4}, .spot_used = {2, 4}}});
}

Request spot_asking(SimTime lifetime, const Forecasts* forecasts) {
  return {.vcpus = 2,
          .memory_mb = 4,
          .instance_class = InstanceClass::kSpot,
          .asked_lifetime = lifetime,
          .forecasts = forecasts};
}

TEST_CASE("LifetimeSla: passes a spot up to the lifetime promised for the slots that are free") {
  const HostTable hosts = two_hosts();
  CHECK(free_slots(hosts.view(), {2, 4, 0}) == 3);
  LifetimeQuantiles quantiles({0.01}, SlotConditions(), seconds(0));
  quantiles.set({2, 4, 0}, {.observed = {1, 2, 3},
                            .quantiles = {{seconds(10), seconds(20), seconds(30)}},
                            .samples = {0, 1, 1, 1}});
  const Forecasts forecasts{.lifetimes = &quantiles};
  const LifetimeSlaFilter filter(options({{"target", 0.01}}));
  const std::array<HostIndex, 2> candidates{0, 1};
  std::array<std::uint8_t, 2> passes{};
  filter.filter_all(hosts.view(), candidates, spot_asking(seconds(30), &forecasts), passes);
  CHECK(passes == std::array<std::uint8_t, 2>{1, 1});
  filter.filter_all(hosts.view(), candidates, spot_asking(seconds(31), &forecasts), passes);
  CHECK(passes == std::array<std::uint8_t, 2>{0, 0});
}

TEST_CASE("LifetimeSla: VMs and spots that ask for nothing pass; before a forecast as it is told") {
  const HostTable hosts = two_hosts();
  const LifetimeQuantiles nothing_yet;
  const Forecasts forecasts{.lifetimes = &nothing_yet};
  const LifetimeSlaFilter rejecting(options({}));
  const LifetimeSlaFilter admitting(options({{"before_first_refresh", std::string("admit")}}));
  Request vm = spot_asking(seconds(1), &forecasts);
  vm.instance_class = InstanceClass::kVm;
  CHECK(rejecting.promises(hosts.view(), vm));
  CHECK(rejecting.promises(hosts.view(), spot_asking(seconds(0), &forecasts)));
  for (const Forecasts* of : {&forecasts, static_cast<const Forecasts*>(nullptr)}) {
    CHECK_FALSE(rejecting.promises(hosts.view(), spot_asking(seconds(1), of)));
    CHECK(admitting.promises(hosts.view(), spot_asking(seconds(1), of)));
  }
}

TEST_CASE("LifetimeSla: options out of range are refused with what was expected") {
  const auto error = [](const std::string& key, PluginOptions::Value value) {
    return error_text<ConfigError>([&] {
      const LifetimeSlaFilter filter(options({{key, std::move(value)}}));
    });
  };
  CHECK(contains(error("target", 0.0), "expected a probability of eviction between 0 and 1"));
  CHECK(contains(error("target", 1.0), "expected a probability of eviction between 0 and 1"));
  CHECK(contains(error("victim", std::string("oldest")),
                 "expected one of: youngest, first_host, fewest"));
  CHECK(contains(error("samples", std::int64_t{0}), "samples is 0, expected a number from 1"));
  CHECK(contains(error("refresh_hours", 0.0), "refresh_hours is 0"));
  CHECK(contains(error("samples", std::int64_t{100'000'001}), "from 1 to 100000000"));
  CHECK(contains(error("refresh_hours", 8785.0), "from 0.001 to 8784"));  // 366 days
  CHECK(contains(error("condition_width", 1.5), "from 0 to 1"));
  CHECK(contains(error("censored", std::string("no")), "forever, so_far, dropped, survival"));
  CHECK_FALSE(error("lifetime", 1.0).empty());  // an unknown key
  const auto recorded = [](const char* history) {
    return read_lifetime_sla_options(options({{"history", std::string(history)}}));
  };
  CHECK(recorded("all").records_evictions);
  CHECK(recorded("without_evictions").records_spots);
  CHECK_FALSE(recorded("without_evictions").records_evictions);
  CHECK_FALSE(recorded("on_demand").records_spots);
}

/// A VM of half the host every 12 hours for 6 hours, and spots that ask for what they will run.
Workload tides() {
  std::vector<WorkloadRow> rows;
  for (int i = 0; i < 20; ++i) {
    rows.push_back(worked::vm({2, 2}, day(0.5 * i), day(0.5 * i + 0.25)));
    rows.push_back(worked::spot({4, 4}, day(0.5 * i + 0.3), day(0.5 * i + 0.4)));   // 0.1 days
    rows.push_back(worked::spot({4, 4}, day(0.5 * i + 0.42), day(0.5 * i + 0.6)));  // too long
  }
  return worked::workload_of(rows);
}

AllocatorSpec tidal_settings() {
  AllocatorSpec settings{.vm = chain_of("FirstFit"),
                         .spot = chain_of("FirstFit"),
                         .evictor = evictor_of("YJF"),
                         .saf = true};
  settings.spot.filters.push_back(
      {.name = "LifetimeSla", .options = {{"target", 0.01}, {"samples", 2000.0}}});
  return settings;
}

TEST_CASE("LifetimeSla: in a run it admits what fits between the tides and nothing that does not") {
  const Workload workload = tides();
  const EventSchedule schedule = make_schedule(workload);
  const AllocatorSpec settings = tidal_settings();
  SimulationEngine engine(schedule, HostTable::uniform(1, {4, 4}), make_allocator(settings));
  const auto forecast = make_lifetime_forecast(schedule, engine.hosts(), settings.spot);
  REQUIRE(forecast != nullptr);
  engine.set_forecasts(forecast.get());
  engine.run();
  // Free time lasts 0.25 days, from any point of it uniformly less: 99 % live 0.0025 days at least,
  // so not one of these is promised its life, and no spot is ever evicted.
  CHECK(engine.result().evictions == 0);
  CHECK(engine.result().spot_admitted == 0);
  CHECK(forecast->refreshes().count == 39);  // every 0.25 days before the last arrival at 9.92 days
  // 4 of 4 free: a life of u, uniform in (0, 0.25] days, has the 1 % quantile 0.0025 days.
  const double promised =
      static_cast<double>(forecast->quantiles().promised({4, 4, 0}, 1, 0.01).count()) / 86400e6;
  CHECK(promised == doctest::Approx(0.0025).epsilon(0.3));
}

TEST_CASE("LifetimeSla: a comparison makes the forecast that its chain needs") {
  const Workload workload = tides();
  const EventSchedule schedule = make_schedule(workload);
  const AllocatorSpec settings = tidal_settings();
  std::array allocators{settings, settings};
  allocators[1].evictor = evictor_of("FIFO");
  allocators[1].saf = false;
  std::size_t recorded = 0;
  simulate_group(schedule, ResourceVector{4, 4}, 1, allocators,
                 [&](std::size_t, const RunResult& result) {
                   CHECK(result.evictions == 0);
                   CHECK(result.spot_admitted == 0);
                   ++recorded;
                 });
  CHECK(recorded == 2);
}

TEST_CASE("LifetimeSla: so many spots ask as is said, by their numbers alone") {
  Workload workload{.name = "asking", .window = day(1)};
  for (int i = 0; i < 4000; ++i) {
    workload.rows.push_back({.resources = {2, 4, 0},
                             .instance_class = InstanceClass::kSpot,
                             .start = SimTime{0},
                             .end = seconds(60)});
  }
  const EventSchedule schedule = make_schedule(workload);
  const auto who_asks = [&](double percent, double seed) {
    const LifetimeForecast forecast(
        schedule, {{8, 8, 0}},
        read_lifetime_sla_options(
            options({{"asking_percent", percent}, {"asked_factor", 0.5}, {"seed", seed}})));
    std::vector<bool> asks;
    for (InstanceIndex spot = 0; spot < 4000; ++spot) {
      const Request request{.instance_class = InstanceClass::kSpot, .instance = spot};
      const SimTime asked = forecast.asked_lifetime(request, seconds(60));
      asks.push_back(asked > SimTime{0});
      CHECK((asked == SimTime{0} || asked == seconds(30)));
    }
    return asks;
  };
  CHECK(std::ranges::count(who_asks(100, 1), true) == 4000);
  CHECK(std::ranges::count(who_asks(0, 1), true) == 0);
  // 1200 and five standard deviations of sqrt(4000 0.3 0.7) = 29.
  const std::vector<bool> asks = who_asks(30, 1);
  CHECK(std::ranges::count(asks, true) > 1055);
  CHECK(std::ranges::count(asks, true) < 1345);
  CHECK(who_asks(30, 1) == asks);
  CHECK(who_asks(30, 2) != asks);
  // Nothing is promised before it is known what can be.
  const LifetimeForecast forecast(schedule, {{8, 8, 0}}, read_lifetime_sla_options(options({})));
  Request request{.instance_class = InstanceClass::kSpot};
  request.asked_lifetime = seconds(60);
  CHECK((forecast.promised_until(request) == kNoPromisedEnd));
}

TEST_CASE("LifetimeSla: two promises in one chain are refused") {
  ChainSpec chain = tidal_settings().spot;
  CHECK(needs_lifetime_forecast(chain));
  CHECK_FALSE(needs_lifetime_forecast(chain_of("sUTIL")));
  chain.filters.push_back(chain.filters.front());
  CHECK_THROWS_AS((void)needs_lifetime_forecast(chain), ConfigError);
}

}  // namespace
}  // namespace cospot
