#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim_harness/provider/loop/run_group.hpp"
#include "sim_harness/provider/loop/simulation_engine.hpp"
#include "sim_harness/provider/run/allocator.hpp"
#include "sim_harness/provider/run/run_timeline.hpp"
#include "tests/cpp/engine_checks.hpp"
#include "tests/cpp/random_workload.hpp"
#include "tests/cpp/settings_grid.hpp"

namespace cospot {
namespace {

using reference::Settings;
using namespace std::chrono_literals;

TEST_CASE("DailyLevel: an amount counts from its change to the end of the window, day by day") {
  DailyLevel level(60h);  // the third day has 12 h
  level.change(-30h, 2);  // before the window: there as it begins
  level.change(6h, 3);
  level.change(24h, -1);  // at midnight: not on the first day
  level.change(54h, 10);
  level.change(60h, 99);  // the window is over
  // Day 0: 2 x 24 h + 3 x 18 h = 102. Day 1: 4 x 24 = 96. Day 2: 4 x 12 + 10 x 6 = 108.
  const Revenue hour = SimTime(1h).count();
  const std::vector<Revenue> sums = level.sums();
  REQUIRE(sums.size() == 3);
  CHECK(sums[0] == 102 * hour);
  CHECK(sums[1] == 96 * hour);
  CHECK(sums[2] == 108 * hour);
}

/// Two hosts of 10 vcpus. v0: 4 vcpus from hour 6 for ever; s1: 6 vcpus from hour 12 to 60, beside
/// it; v2: 10 vcpus from hour 30 to 36, for which v0's host has no room and the other has: nothing
/// is evicted. v3: 6 vcpus from hour 48 on, for which UTIL has the fuller host: s1 goes.
TEST_CASE("RunTimeline: a run of three days, worked out by hand") {
  Workload workload;
  workload.window = 72h;
  const auto add = [&workload](const char* id, bool is_spot, ResourceAmount vcpus, SimTime start,
                               SimTime end) {
    WorkloadRow row;
    row.id = id;
    row.instance_class = is_spot ? InstanceClass::kSpot : InstanceClass::kVm;
    row.resources = {vcpus, 1, 0};
    row.start = start;
    row.end = end;
    workload.rows.push_back(row);
  };
  add("v0", false, 4, 6h, kNever);
  add("s1", true, 6, 12h, 60h);
  add("v2", false, 10, 30h, 36h);
  add("v3", false, 6, 48h, kNever);
  const Settings settings{{10, 10, 0}, 2, "UTIL", "sUTIL", "FIFO", false, 1};
  const EventSchedule schedule = make_schedule(workload);
  SimulationEngine engine(schedule, make_hosts(settings), make_allocator(run_settings_of(settings)),
                          {.keeps_days = true});
  engine.run();
  const std::vector<TimelineDay> days = engine.result().days;
  REQUIRE(days.size() == 3);
  const Revenue hour = SimTime(1h).count();
  // Day 0: one host for 18 h; v0 18 h; s1 12 h.
  CHECK(days[0].day == 0);
  CHECK(days[0].hosts_in_use == 18.0 / 24);
  CHECK(days[0].vms == 18.0 / 24);
  CHECK(days[0].spots == 12.0 / 24);
  CHECK(days[0].evictions == 0);
  CHECK(days[0].vm_revenue == hour * 4 * 18);
  CHECK(days[0].spot_revenue == hour * 6 * 12);
  // Day 1: the other host for 6 h more.
  CHECK(days[1].hosts_in_use == 1 + 6.0 / 24);
  CHECK(days[1].vms == 1 + 6.0 / 24);
  CHECK(days[1].spots == 1);
  CHECK(days[1].evictions == 0);
  CHECK(days[1].vm_revenue == hour * 4 * 24 + hour * 10 * 6);
  CHECK(days[1].spot_revenue == hour * 6 * 24);
  // Day 2: v3 in the place of s1.
  CHECK(days[2].day == 2);
  CHECK(days[2].hosts_in_use == 1);
  CHECK(days[2].vms == 2);
  CHECK(days[2].spots == 0);
  CHECK(days[2].evictions == 1);
  CHECK(days[2].vm_revenue == hour * 10 * 24);
  CHECK(days[2].spot_revenue == 0);
  CHECK(days[2].economy_instances == 0);
  CHECK(days[2].economy_revenue == 0);
}

TEST_CASE("RunTimeline: without being asked, a run keeps no days") {
  const Settings settings{{10, 10, 0}, 2, "UTIL", "sUTIL", "FIFO", false, 1};
  const Workload workload = random_workload({.seed = 1, .host = {10, 10, 0}, .hosts = 2});
  const EventSchedule schedule = make_schedule(workload);
  SimulationEngine engine(schedule, make_hosts(settings),
                          make_allocator(run_settings_of(settings)));
  engine.run();
  CHECK(engine.result().days.empty());
}

/// When each instance ran where, as an observer saw it.
class Stays final : public RunObserver {
 public:
  struct Stay {
    HostIndex host = 0;
    Request request{};
    SimTime from{0};
    SimTime to = kNever;
  };

  void evicted(InstanceIndex victim, HostIndex /*host*/, const Request& for_vm) override {
    end(victim, for_vm.time);
    evictions.push_back(for_vm.time);
  }
  void placed(const Request& request, HostIndex host) override {
    last_[request.instance] = stays.size();
    stays.push_back({.host = host, .request = request, .from = request.time});
  }
  void departed(InstanceIndex instance, HostIndex /*host*/, SimTime time) override {
    end(instance, time);
  }

  std::vector<Stay> stays;
  std::vector<SimTime> evictions;

 private:
  void end(InstanceIndex instance, SimTime time) { stays[last_.at(instance)].to = time; }
  std::map<InstanceIndex, std::size_t> last_;
};

/// The microseconds of a day in which something runs on each host, summed, by every moment at which
/// anything changes.
SimTime in_use(const std::vector<Stays::Stay>& stays, SimTime from, SimTime to) {
  std::set<SimTime> moments{from, to};
  for (const Stays::Stay& stay : stays) {
    for (const SimTime time : {stay.from, stay.to}) {
      if (time > from && time < to) moments.insert(time);
    }
  }
  SimTime sum{0};
  for (auto moment = moments.begin(); std::next(moment) != moments.end(); ++moment) {
    std::set<HostIndex> hosts;
    for (const Stays::Stay& stay : stays) {
      if (stay.from <= *moment && stay.to > *moment) hosts.insert(stay.host);
    }
    sum += static_cast<std::int64_t>(hosts.size()) * (*std::next(moment) - *moment);
  }
  return sum;
}

TEST_CASE("RunTimeline: the days are those of the instances that an observer saw come and go") {
  std::size_t evictions = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    Workload workload = random_workload(
        {.seed = seed, .requests = 120, .host = {10, 12, 0}, .hosts = 4, .spot_percent = 55});
    workload.window = 9 * kDay + SimTime(5h);
    const std::vector<Settings> grid = reference::settings_grid({10, 12, 0}, 4);
    const Settings& settings = grid[(seed * 37) % grid.size()];
    const EventSchedule schedule = make_schedule(workload);
    const Allocator allocator = make_allocator(run_settings_of(settings));
    Stays seen;
    SimulationEngine watched(schedule, make_hosts(settings), allocator, {.keeps_days = true});
    watched.set_observer(&seen);
    watched.run();
    SimulationEngine alone(schedule, make_hosts(settings), allocator, {.keeps_days = true});
    alone.run();
    const RunResult result = alone.result();
    CHECK(watched.result().days == result.days);
    REQUIRE(result.days.size() == 10);
    Revenue vm_revenue = 0, spot_revenue = 0;
    for (const TimelineDay& day : result.days) {
      CAPTURE(day.day);
      const SimTime from = static_cast<std::int64_t>(day.day) * kDay;
      const SimTime to = std::min(from + kDay, workload.window);
      const auto length = static_cast<double>((to - from).count());
      SimTime vms{0}, spots{0};
      for (const Stays::Stay& stay : seen.stays) {
        const SimTime time = std::min(stay.to, to) - std::max(stay.from, from);
        if (time > SimTime{0}) (stay.request.is_spot() ? spots : vms) += time;
      }
      CHECK(day.vms == static_cast<double>(vms.count()) / length);
      CHECK(day.spots == static_cast<double>(spots.count()) / length);
      CHECK(day.hosts_in_use == static_cast<double>(in_use(seen.stays, from, to).count()) / length);
      const auto on_that_day = std::ranges::count_if(
          seen.evictions, [&](SimTime time) { return time >= from && time < to; });
      CHECK(day.evictions == static_cast<std::uint64_t>(on_that_day));
      evictions += day.evictions;
      vm_revenue += day.vm_revenue;
      spot_revenue += day.spot_revenue;
    }
    CHECK(vm_revenue == result.vm_revenue);
    CHECK(spot_revenue == result.spot_revenue);
  }
  CHECK(evictions > 20);
}

TEST_CASE("RunTimeline: runs that share a beginning keep the days of separate ones") {
  const std::vector<EvictorSpec> evictors{evictor_of("FIFO"), evictor_of("YJF"), evictor_of("LPO")};
  const RandomWorkloadOptions options{.seed = 5, .requests = 150, .host = {10, 12, 0}, .hosts = 5};
  const Workload workload = random_workload(options);
  const EventSchedule schedule = make_schedule(workload);
  const ChainSpec vm = chain_of("COS");
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
  simulate_group(
      schedule, options.host, options.hosts, allocators,
      [&](std::size_t index, const RunResult& result) { results[index] = result; }, true);
  std::set<std::uint64_t> different;
  for (std::size_t i = 0; i < allocators.size(); ++i) {
    CAPTURE(i);
    SimulationEngine alone(schedule, HostTable::uniform(options.hosts, options.host),
                           make_allocator(allocators[i]), {.keeps_days = true});
    alone.run();
    CHECK(results.at(i).days == alone.result().days);
    different.insert(results.at(i).evictions);
  }
  CHECK(different.size() > 3);
}

}  // namespace
}  // namespace cospot
