#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/policy/forecasts.hpp"
#include "filters/transient_class_filter.hpp"
#include "guarantees/pricing/host_revocations.hpp"
#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/provider/forecasts/revocation_forecast.hpp"
#include "sim_harness/provider/loop/simulation_engine.hpp"
#include "sim_harness/provider/run/allocator.hpp"
#include "tests/cpp/error_text.hpp"
#include "weighers/low_revocation_weigher.hpp"

namespace cospot {
namespace {

using doctest::Approx;
using std::chrono::hours;

Request small_spot_asking(SimTime lifetime, const Forecasts& forecasts) {
  return {.vcpus = 1,
          .memory_mb = 1,
          .instance_class = InstanceClass::kSpot,
          .asked_lifetime = lifetime,
          .forecasts = &forecasts};
}

TEST_CASE("HostRevocations: few hours count as an average host's") {
  // All: 6 evictions in 96 h, 0.0625 an hour. Host 0: (6 + 1.5) / (72 + 24); host 1: 1.5 / 48.
  const HostRevocations known({72, 24}, {6, 0});
  CHECK(known.rate(0) == Approx(7.5 / 96));
  CHECK(known.rate(1) == Approx(1.5 / 48));
  CHECK(known.mttr_hours(1) == Approx(32));
  CHECK_FALSE(HostRevocations({72, 24}, {0, 0}).is_known());
  CHECK_FALSE(HostRevocations().is_known());
}

TEST_CASE("LowRevocation and TransientClass: by the life that a spot asks for") {
  const HostRevocations known({72, 24}, {6, 0});
  const Forecasts forecasts{.revocations = &known};
  const HostTable hosts({{.name = "busy", .total = {8, 8}}, {.name = "calm", .total = {8, 8}}});
  const std::array<HostIndex, 2> candidates{0, 1};
  std::array<double, 2> weights{};
  std::array<std::uint8_t, 2> passes{};
  const LowRevocationWeigher weigher((PluginOptions()));
  const TransientClassFilter filter(
      PluginOptions("TransientClass", {{"mttr_hours", 20.0}, {"from_hours", std::int64_t{24}}}));
  const auto ask = [&](const Request& request) {
    weigher.weigh_all(hosts.view(), candidates, request, weights);
    filter.filter_all(hosts.view(), candidates, request, passes);
  };
  ask(small_spot_asking(hours(24), forecasts));
  CHECK(weights[1] > weights[0]);
  // Times to revocation: 12.8 h and 32 h.
  CHECK(passes == std::array<std::uint8_t, 2>{0, 1});
  ask(small_spot_asking(hours(23), forecasts));
  CHECK(weights[1] < weights[0]);
  CHECK(passes == std::array<std::uint8_t, 2>{1, 1});
  const Forecasts nothing;
  ask(small_spot_asking(hours(24), nothing));
  CHECK(weights == std::array<double, 2>{0, 0});
  CHECK(passes == std::array<std::uint8_t, 2>{1, 1});
  Request vm = small_spot_asking(hours(24), forecasts);
  vm.instance_class = InstanceClass::kVm;
  ask(vm);
  CHECK(weights == std::array<double, 2>{0, 0});
  CHECK(passes == std::array<std::uint8_t, 2>{1, 1});
  CHECK(contains(error_text<ConfigError>([] {
                   LowRevocationWeigher(PluginOptions("LowRevocation", {{"from_hours", 0.0}}));
                 }),
                 "from_hours: found 0, expected hours above 0"));
}

WorkloadRow revoked_row(const char* id, bool is_spot, int start_hours, int end_hours) {
  return {.id = id,
          .tenant = "t",
          .resources = {.vcpus = 2, .memory_mb = 2},
          .instance_class = is_spot ? InstanceClass::kSpot : InstanceClass::kVm,
          .start = hours(start_hours),
          .end = hours(end_hours)};
}

TEST_CASE("RevocationForecast: counts hours and evictions as a run goes") {
  // One host for two instances: the spots s (0-) and t (2-) run; the VM v (5) evicts s, the oldest.
  Workload workload{.name = "w",
                    .rows = {revoked_row("s", true, 0, 100), revoked_row("t", true, 2, 100),
                             revoked_row("v", false, 5, 100), revoked_row("u", false, 40, 41)}};
  const EventSchedule schedule = make_schedule(workload);
  const AllocatorSpec settings{.vm = {.label = "UTIL", .weighers = {{.name = "UTIL"}}},
                               .spot = {.label = "calm", .weighers = {{.name = "LowRevocation"}}},
                               .evictor = {.label = "FIFO", .name = "FIFO"}};
  CHECK(needs_revocation_forecast(settings.spot));
  CHECK_FALSE(needs_revocation_forecast(settings.vm));
  CHECK(make_revocation_forecast(schedule, 1, settings.vm) == nullptr);
  SimulationEngine engine(schedule, HostTable::uniform(1, {4, 4}), make_allocator(settings));
  const auto forecast = make_revocation_forecast(schedule, 1, settings.spot);
  engine.set_forecasts(forecast.get());
  engine.run();
  // At 40 h it was last refreshed at 36: s ran 5 h, t 34 h, one eviction. One host is the average.
  REQUIRE(forecast->revocations().is_known());
  CHECK(forecast->revocations().mttr_hours(0) == Approx(39));
  // The true duration; of an unknown end, to the end of the window.
  const Request spot{.instance_class = InstanceClass::kSpot, .time = hours(2)};
  CHECK(forecast->asked_lifetime(spot, hours(10)) == hours(8));
  CHECK(forecast->asked_lifetime(spot, kNever) == 14 * kDay - hours(2));
}

}  // namespace
}  // namespace cospot
