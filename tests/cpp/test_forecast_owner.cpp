#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "guarantees/pricing/host_revocations.hpp"
#include "guarantees/sla/lifetime_quantiles.hpp"
#include "sim_harness/provider/forecasts/spot_forecasts.hpp"
#include "sim_harness/provider/loop/simulation_engine.hpp"
#include "sim_harness/provider/run/allocator.hpp"
#include "sim_harness/provider/run/forecast_owner.hpp"
#include "tests/cpp/engine_checks.hpp"
#include "tests/cpp/worked_scenarios.hpp"

namespace cospot {
namespace {

using worked::day;

/// Refreshes every quarter of a day and writes down what it sees.
class Diary final : public ForecastOwner {
 public:
  [[nodiscard]] SimTime next_refresh() const override { return next_; }
  void refresh() override {
    lines.push_back("refresh " + quarters(next_));
    next_ += day(0.25);
  }
  [[nodiscard]] const Forecasts& forecasts() const override { return values_; }
  [[nodiscard]] SimTime asked_lifetime(const Request& spot, SimTime end) const override {
    return end - spot.time;
  }
  void evicted(InstanceIndex victim, HostIndex /*host*/, const Request& for_vm) override {
    lines.push_back("evicted " + std::to_string(victim) + " for " +
                    std::to_string(for_vm.instance));
  }
  void placed(const Request& request, HostIndex host) override {
    lines.push_back("placed " + std::to_string(request.instance) + " on " + std::to_string(host));
  }
  void rejected(const Request& request) override {
    lines.push_back("rejected " + std::to_string(request.instance));
  }
  void departed(InstanceIndex instance, HostIndex /*host*/, SimTime time) override {
    lines.push_back("departed " + std::to_string(instance) + " at " + quarters(time));
  }

  std::vector<std::string> lines;

 private:
  static std::string quarters(SimTime time) { return std::to_string(time / day(0.25)); }

  SimTime next_ = day(0.25);
  Forecasts values_;
};

/// Passes spots that ask for at most a day, and only where forecasts came with the request.
class ShortLives final : public PerHostFilter<ShortLives> {
 public:
  [[nodiscard]] bool host_passes(HostRow /*host*/, const Request& request) const {
    return request.forecasts != nullptr && request.asked_lifetime <= day(1);
  }
};

RunSettings settings_with(bool filtered) {
  RunSettings settings{
      {.vm = chain_of("UTIL"), .spot = chain_of("sUTIL"), .evictor = evictor_of("FIFO")},
      ResourceVector{4, 4},
      1};
  if (filtered) {
    settings.spot.filters.push_back(
        {.name = "ShortLives", .make = [] { return std::make_unique<ShortLives>(); }});
  }
  return settings;
}

Workload three_requests() {
  return worked::workload_of({worked::spot({2, 2}, day(0.1), day(1)),   // 0.9 days: short
                              worked::spot({1, 1}, day(0.25), day(3)),  // 2.75 days: long
                              worked::vm({3, 3}, day(0.6), day(0.9)),   // needs a spot's room
                              worked::spot({4, 4}, day(0.95), day(1))});
}

TEST_CASE("ForecastOwner: hears of what happened before each refresh, and of no later event") {
  const EventSchedule schedule = make_schedule(three_requests());
  Diary diary;
  SimulationEngine engine(schedule, HostTable::uniform(1, {4, 4}),
                          make_allocator(settings_with(true)));
  engine.set_forecasts(&diary);
  engine.run();
  // The refresh at 0.25 days comes before the arrival at that very time. The VM (3 of 4 vcpus)
  // evicts spot 0 (2 vcpus); the last arrival fits, and what comes after it is not asked for.
  CHECK(diary.lines == std::vector<std::string>{"placed 0 on 0", "refresh 1", "rejected 1",
                                                "refresh 2", "evicted 0 for 2", "placed 2 on 0",
                                                "refresh 3", "departed 2 at 3", "placed 3 on 0"});
}

TEST_CASE("ForecastOwner: an engine without one hands out no forecasts and no lifetimes") {
  const EventSchedule schedule = make_schedule(three_requests());
  SimulationEngine engine(schedule, HostTable::uniform(1, {4, 4}),
                          make_allocator(settings_with(true)));
  engine.run();
  CHECK(engine.result().spot_admitted == 0);  // the filter found no forecasts
  CHECK(engine.result().vm_rejected == 0);
}

TEST_CASE("ForecastOwner: watching alone changes no result") {
  const EventSchedule schedule = make_schedule(three_requests());
  Diary diary;
  SimulationEngine watched(schedule, HostTable::uniform(1, {4, 4}),
                           make_allocator(settings_with(false)));
  watched.set_forecasts(&diary);
  watched.run();
  SimulationEngine alone(schedule, HostTable::uniform(1, {4, 4}),
                         make_allocator(settings_with(false)));
  alone.run();
  check_same_result(watched.result(), alone.result());
}

/// What happens to an owner in the test below: spots 0 and 1 start at 0 and 0.1 days, VM 2 evicts
/// spot 1 at 0.3 days, VM 3 comes at 0.9 days. Returns when it refreshed, in hours.
std::vector<std::int64_t> live_through(const Workload& workload, ForecastOwner& owner) {
  std::vector<std::int64_t> refreshes;
  const auto request_of = [&](InstanceIndex instance) {
    const WorkloadRow& row = workload.rows[instance];
    return Request{.vcpus = row.resources.vcpus,
                   .memory_mb = row.resources.memory_mb,
                   .instance_class = row.instance_class,
                   .instance = instance,
                   .time = row.start};
  };
  const auto refresh_until = [&](SimTime now) {
    while (owner.next_refresh() <= now) {
      refreshes.push_back(owner.next_refresh() / std::chrono::hours(1));
      owner.refresh();
    }
  };
  for (InstanceIndex instance = 0; instance < workload.rows.size(); ++instance) {
    const Request request = request_of(instance);
    refresh_until(request.time);
    if (instance == 2) owner.evicted(1, 0, request);
    owner.placed(request, 0);
  }
  return refreshes;
}

TEST_CASE("spot forecasts: a chain that needs two kinds has both, each at its own times") {
  const Workload workload = worked::workload_of(
      {worked::spot({1, 1}, day(0), day(1)), worked::spot({1, 1}, day(0.1), day(1)),
       worked::vm({3, 3}, day(0.3), day(0.5)), worked::vm({1, 1}, day(0.9), day(1))});
  const EventSchedule schedule = make_schedule(workload);
  const HostTable hosts = HostTable::uniform(1, {4, 4});
  ChainSpec promised = chain_of("sUTIL");
  promised.filters.push_back(
      {.name = "LifetimeSla",
       .options = {{"refresh_hours", 5.0}, {"asked_factor", 2.0}, {"target", 0.1}}});
  const ChainSpec calm{.label = "calm", .weighers = {{.name = "LowRevocation"}}};
  ChainSpec both_needed = promised;
  both_needed.weighers.push_back({.name = "LowRevocation"});

  CHECK(make_spot_forecasts(schedule, hosts, chain_of("sUTIL")) == nullptr);
  const auto lifetimes = make_spot_forecasts(schedule, hosts, promised);
  const auto revocations = make_spot_forecasts(schedule, hosts, calm);
  const auto both = make_spot_forecasts(schedule, hosts, both_needed);
  REQUIRE(both != nullptr);
  CHECK(live_through(workload, *lifetimes) == std::vector<std::int64_t>{5, 10, 15, 20});
  CHECK(live_through(workload, *revocations) == std::vector<std::int64_t>{6, 12, 18});
  CHECK(live_through(workload, *both) == std::vector<std::int64_t>{5, 6, 10, 12, 15, 18, 20});

  const Forecasts& known = both->forecasts();
  REQUIRE(known.lifetimes != nullptr);
  REQUIRE(known.revocations != nullptr);
  const ResourceVector size{1, 1, 0};
  CHECK(known.lifetimes->table(size)->quantiles ==
        lifetimes->forecasts().lifetimes->table(size)->quantiles);
  // Until 18 h spot 0 ran 18 hours and spot 1 from 2.4 to 7.2 h, one eviction: 22.8 hours.
  CHECK(known.revocations->mttr_hours(0) == doctest::Approx(22.8));
  CHECK(known.revocations->rate(0) == revocations->forecasts().revocations->rate(0));
  // A spot asks for what the promise of lifetimes says: twice its true day.
  const Request spot{.instance_class = InstanceClass::kSpot, .time = day(1)};
  CHECK(both->asked_lifetime(spot, day(2)) == day(2));
}

}  // namespace
}  // namespace cospot
