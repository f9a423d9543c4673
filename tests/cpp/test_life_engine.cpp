// Life of requests: against the engine without it, and against a slow simulator.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "sim_harness/provider/loop/provider_run.hpp"
#include "sim_harness/provider/loop/simulation_engine.hpp"
#include "sim_harness/provider/run/allocator.hpp"
#include "tests/cpp/life_fixtures.hpp"
#include "tests/cpp/random_workload.hpp"
#include "tests/cpp/settings_grid.hpp"

namespace cospot {
namespace {

using reference::Settings;

/// Every combination of the features comes in 64 seeds.
LifePlan random_plan(std::uint64_t seed, const Workload& workload, std::size_t hosts) {
  Random random(seed + 1000);
  LifePlan plan;
  if ((seed & 1) != 0) plan.retries = random_rule(random);
  if ((seed & 2) != 0) plan.returning_spots = random_rule(random);
  if ((seed & 4) != 0) add_outages(random, hosts, OutageKind::kFailure, plan);
  if ((seed & 8) != 0) add_outages(random, hosts, OutageKind::kMaintenance, plan);
  if ((seed & 16) != 0) add_resizes(random, workload, plan);
  plan.ends_stay = (seed & 32) != 0;
  plan.on_eviction = random_eviction_rule(random);
  return plan;
}

Settings random_settings(std::uint64_t seed) {
  static constexpr std::array<const char*, 4> kVm{"UTIL", "COS", "DPD", "FirstFit"};
  static constexpr std::array<const char*, 6> kSpot{"sUTIL",   "sCOS",   "sDPD",
                                                    "vmaUTIL", "vmaCOS", "vmaDPD"};
  static constexpr std::array<const char*, 3> kEvictors{"FIFO", "YJF", "LPO"};
  Random random(seed + 2000);
  Settings settings{.host = {10, 10, 0}, .hosts = 4};
  settings.vm = kVm[random.below(4)];
  settings.spot = kSpot[random.below(6)];
  settings.evictor = kEvictors[random.below(3)];
  settings.saf = random.below(2) == 0;
  settings.otn = 1 + random.below(4);
  if (random.below(5) == 0) {
    settings.adaptive =
        reference::AdaptiveOffer{.at_low_load = 4, .at_high_load = 1, .from = 0.2, .to = 0.8};
  }
  return settings;
}

/// Hosts of three sizes in two zones, one of which some requests ask for.
void make_mixed(std::uint64_t seed, Settings& settings, Workload& workload) {
  static constexpr std::array<ResourceVector, 3> kTotals{
      ResourceVector{10, 10, 0}, {6, 12, 0}, {14, 8, 0}};
  Random random(seed + 4000);
  for (std::size_t i = 0; i < settings.hosts; ++i) {
    settings.each.push_back({.total = kTotals[random.below(3)], .zone = i < 2 ? "az1" : "az2"});
  }
  workload.placements.asked.push_back({.rules = {.zone = "az1"}});
  workload.placements.asked.push_back({.rules = {.zone = "az2"}});
  const std::size_t last = workload.placements.asked.size();
  for (WorkloadRow& row : workload.rows) {
    if (random.below(5) != 0) continue;
    row.placement =
        static_cast<std::uint32_t>(last - random.below(2)) & WorkloadPlacements::kMostAsked;
  }
}

void add_to(LifeResult& sum, const LifeResult& one) {
  sum.vms_late += one.vms_late;
  sum.spots_late += one.spots_late;
  sum.spots_returned += one.spots_returned;
  sum.vms_evacuated += one.vms_evacuated;
  sum.vms_migrated += one.vms_migrated;
  sum.vms_restarted += one.vms_restarted;
  sum.vms_lost += one.vms_lost;
  sum.spots_lost += one.spots_lost;
  sum.spots_stopped += one.spots_stopped;
  sum.resizes_in_place += one.resizes_in_place;
  sum.resizes_moved += one.resizes_moved;
  sum.resizes_refused += one.resizes_refused;
  sum.resizes_missed += one.resizes_missed;
  sum.waiting += one.waiting;
  sum.spot_work.useful += one.spot_work.useful > 0 ? 1 : 0;
  sum.spot_work.wasted += one.spot_work.wasted > 0 ? 1 : 0;
  sum.spot_work.restoring += one.spot_work.restoring > 0 ? 1 : 0;
  sum.spot_work.back += one.spot_work.back;
}

/// Follows a log: who runs where, and what that comes to.
class LogFollower {
 public:
  LogFollower(const Workload& workload, const Settings& settings)
      : workload_(workload), settings_(settings), outs_(settings.hosts, 0) {}

  void follow(const std::vector<std::string>& events) {
    for (const std::string& line : events) {
      CAPTURE(line);
      std::istringstream words(line);
      std::int64_t time = 0, instance = 0, host = 0;
      std::string event;
      words >> time >> event;
      if (event == "gave") words >> event;  // "gave up"
      words >> instance >> host;
      CHECK(time >= now_);
      now_ = time;
      ++counts[event];
      if (instance < 0) {
        outs_.at(static_cast<std::size_t>(host)) += event == "drained" ? 1 : 0;
        // Once, when the last of the outages that overlap is over.
        if (event == "back") outs_.at(static_cast<std::size_t>(host)) = 0;
      } else {
        follow(event, static_cast<InstanceIndex>(instance), static_cast<HostIndex>(host), line);
      }
    }
    for (const auto& [instance, place] : running) earn(instance, workload_.window.count());
  }

  struct Place {
    HostIndex host = kNoHost;
    ResourceVector size{};
    std::int64_t since = 0;
  };
  std::map<InstanceIndex, Place> running;
  std::map<std::string, std::uint64_t> counts;
  std::set<InstanceIndex> asked, placed, ended;
  Revenue vm_revenue = 0, spot_revenue = 0;

 private:
  void follow(const std::string& event, InstanceIndex instance, HostIndex host,
              const std::string& line) {
    static const std::set<std::string> leaves{"evicted", "lost", "stopped", "evacuated", "ended"};
    if (event == "asked") asked.insert(instance);
    if (event == "placed") {
      CHECK_FALSE(running.contains(instance));
      CHECK_FALSE(ended.contains(instance));
      placed.insert(instance);
      put(instance, host, line);
    } else if (event == "migrated" || event == "resized") {
      REQUIRE(running.contains(instance));
      // In place a resize may shrink a VM on a host that takes nobody new.
      const bool stays = event == "resized" && running[instance].host == host;
      earn(instance, now_);
      put(instance, host, line, stays);
    } else if (leaves.contains(event)) {
      REQUIRE(running.contains(instance));
      CHECK(running[instance].host == host);
      earn(instance, now_);
      running.erase(instance);
      if (event == "ended") ended.insert(instance);
    }
  }

  void put(InstanceIndex instance, HostIndex host, const std::string& line, bool stays = false) {
    CHECK((stays || outs_.at(host) == 0));
    ResourceVector size;
    char by = 0;
    std::istringstream(line.substr(line.rfind(' '))) >> size.vcpus >> by >> size.memory_mb >> by >>
        size.disk_gb;
    running[instance] = {.host = host, .size = size, .since = now_};
    ResourceVector sum;
    for (const auto& [other, place] : running) {
      if (place.host == host) sum += place.size;
    }
    CHECK(sum.fits_in(settings_.each.empty() ? settings_.host : settings_.each[host].total));
  }

  void earn(InstanceIndex instance, std::int64_t until) {
    const Place& place = running[instance];
    const std::int64_t from = std::max<std::int64_t>(place.since, 0);
    const std::int64_t to = std::min(until, workload_.window.count());
    if (to <= from) return;
    (workload_.rows[instance].is_spot() ? spot_revenue : vm_revenue) +=
        Revenue{place.size.vcpus} * (to - from);
  }

  const Workload& workload_;
  const Settings& settings_;
  std::vector<int> outs_;
  std::int64_t now_ = INT64_MIN;
};

/// Whoever asked is in one state, what a log says adds up, and hosts hold no more than they have.
void check_life_conserves(const Workload& workload, const Settings& settings,
                          const std::vector<std::string>& events, const LifeResult& result,
                          bool is_counted) {
  LogFollower log(workload, settings);
  log.follow(events);
  CHECK((log.vm_revenue == result.run.vm_revenue));
  CHECK((log.spot_revenue == result.run.spot_revenue));
  const SpotWorkResult& work = result.spot_work;
  if (is_counted) {
    CHECK((work.useful + work.wasted + work.restoring == result.run.spot_revenue));
  }
  std::uint64_t vms_rejected = 0, vms_lost = 0, spots_admitted = 0;
  for (const InstanceIndex instance : log.asked) {
    const bool is_spot = workload.rows[instance].is_spot();
    const bool was_placed = log.placed.contains(instance);
    CHECK_FALSE((log.running.contains(instance) && log.ended.contains(instance)));
    const bool is_served = log.running.contains(instance) || log.ended.contains(instance);
    if (is_spot) {
      spots_admitted += was_placed ? 1 : 0;
    } else {
      vms_rejected += was_placed ? 0 : 1;
      vms_lost += was_placed && !is_served ? 1 : 0;
    }
  }
  CHECK(log.asked.size() == result.run.vm_requests + result.run.spot_requests);
  CHECK(vms_rejected == result.run.vm_rejected);
  CHECK(vms_lost == result.vms_lost);
  CHECK(spots_admitted == result.run.spot_admitted);
  CHECK(log.counts["evicted"] == result.run.evictions);
  CHECK(log.counts["lost"] == result.spots_lost);
  CHECK(log.counts["stopped"] == result.spots_stopped);
  CHECK(log.counts["migrated"] == result.vms_migrated);
  CHECK(log.counts["resized"] == result.resizes_in_place + result.resizes_moved);
  CHECK(log.counts["refused"] == result.resizes_refused);
  CHECK(log.counts["placed"] ==
        log.placed.size() + result.spots_returned + result.vms_evacuated + result.vms_restarted);
  CHECK(log.counts["placed"] == log.running.size() + log.counts["ended"] + log.counts["evicted"] +
                                    log.counts["lost"] + log.counts["stopped"] +
                                    log.counts["evacuated"]);
}

void check_against_reference(const Workload& workload, const Settings& settings,
                             const LifePlan& plan, LifeResult& sum) {
  CAPTURE(workload.name);
  CAPTURE(reference::describe(settings));
  reference::ProviderCase one = reference::case_of(settings);
  one.plan = plan;
  const reference::ProviderOutcome expected = reference::simulate_provider(workload, one);
  const RunSettings run = run_settings_of(settings);
  const LifeRun watched(workload, run, plan);
  const std::vector<std::string>& events = watched.recorder.events;
  const auto differ = std::ranges::mismatch(events, expected.events);
  const auto ours = differ.in1;
  const auto theirs = differ.in2;
  const bool is_same = ours == events.end() && theirs == expected.events.end();
  CAPTURE(ours == events.end() ? "" : *ours);
  CAPTURE(theirs == expected.events.end() ? "" : *theirs);
  CHECK(is_same);
  check_same_life(watched.result, expected.life);
  check_same_life(LifeRun(workload, run, plan, false).result, expected.life);
  check_life_conserves(workload, settings, events, watched.result, plan.on_eviction.has_value());
  add_to(sum, expected.life);
}

TEST_CASE("life engine: a plan in which nothing happens is the engine without one") {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    Workload workload = random_workload({.seed = seed});
    if (seed % 3 == 0) add_groups(seed, workload);
    const RunSettings settings = run_settings_of(random_settings(seed));
    // A rule without patience is none, whatever else it says.
    const LifePlan plan{.retries = {.first_wait = kTick}, .ends_stay = seed % 2 == 0};
    const LifeRun life(workload, settings, plan);
    Allocator allocator = make_allocator(settings, life.schedule.has_placements());
    SimulationEngine engine(life.schedule, make_hosts(settings), allocator);
    engine.run();
    check_same_result(life.result.run, engine.result());
    check_same_result(LifeRun(workload, settings, plan, false).result.run, engine.result());
  }
}

/// One host of 10, UTIL and sUTIL, FIFO.
Settings one_host() { return {.host = {10, 10, 0}, .hosts = 1}; }

WorkloadRow vm_of(ResourceAmount vcpus, SimTime start, SimTime end) {
  return {.resources = {vcpus, vcpus, 0}, .start = start, .end = end};
}

TEST_CASE("life engine: the longest wait caps the first one, too") {
  using std::chrono::seconds;
  Workload workload{.name = "w"};
  workload.rows = {vm_of(10, SimTime{0}, seconds(15)), vm_of(10, SimTime{0}, seconds(50))};
  const LifePlan plan{.retries = {.patience = seconds(1000),
                                  .first_wait = seconds(100),
                                  .longest_wait = seconds(10)}};
  const LifeResult result = LifeRun(workload, run_settings_of(one_host()), plan).result;
  CHECK(result.vm_retries == 2);  // after 10 and 20 s, not after 100
  CHECK(result.vms_late == 1);
  CHECK((result.vm_wait == seconds(20)));
}

TEST_CASE("life engine: at one moment a host comes back, one fails, one is maintained") {
  using std::chrono::seconds;
  constexpr SimTime kMoment = seconds(3600), kEnd = seconds(7200);
  // Four hosts of 8. Host 0 is out until the moment; T leaves host 2 before it. So on host 1 are A
  // and B of 4 each, on host 2 one of 6, and on host 3 is C of 2.
  Workload workload{.name = "w"};
  workload.rows = {vm_of(4, seconds(1), kEnd), vm_of(4, seconds(1), kEnd),
                   vm_of(6, seconds(1), kEnd), vm_of(2, seconds(1), seconds(9)),
                   vm_of(2, seconds(2), kEnd)};
  const auto outage = [&](const char* host, SimTime start) {
    return NamedOutage{.host = host, .notice = start, .start = start, .end = start + kMoment};
  };
  LifeSettings life{.label = "both"};
  life.failures = {.name = "failures",
                   .rows = {outage("host-3", kMoment), outage("host-0", SimTime{0})}};
  life.maintenance = {.name = "maintenance", .rows = {outage("host-1", kMoment)}};
  RunSettings settings = run_settings_of(one_host());
  settings.vm = {.label = "FirstFit", .weighers = {{.name = "FirstFit"}}};
  ProviderParts parts;
  parts.life = life;
  const EventSchedule schedule = make_schedule(workload);
  ProviderRun run(workload, schedule, settings, HostTable::uniform(4, {8, 8, 0}), std::move(parts));
  run.run();
  const LifeResult result = run.result();
  // Host 0 is back before any goes down, and both have gone down before the first VM asks. The one
  // that fails comes before the one under maintenance: C goes to host 0 and A too, which leaves 2
  // there and 2 on host 2, too few for B. In the order of the hosts' numbers A and B would fill
  // host 0, and C would fit on host 2: three evacuated, none lost.
  CHECK(result.vms_evacuated == 2);
  CHECK(result.vms_lost == 1);
  CHECK((result.run.vm_revenue_requested - result.run.vm_revenue ==
         Revenue{4} * SimTime(kEnd - kMoment).count()));
}

TEST_CASE("life engine: on a host under notice a VM may shrink, not grow") {
  using std::chrono::hours;
  Workload workload{.name = "w"};
  workload.rows = {vm_of(2, SimTime{0}, hours(9))};
  LifePlan plan;
  plan.outages = {{.host = 0,
                   .notice = hours(1),
                   .start = hours(10),
                   .end = hours(11),
                   .kind = OutageKind::kMaintenance}};
  plan.resizes = {{.instance = 0, .time = hours(2), .size = {4, 4, 0}},
                  {.instance = 0, .time = hours(3), .size = {1, 1, 0}}};
  const LifeResult result = LifeRun(workload, run_settings_of(one_host()), plan).result;
  CHECK(result.resizes_refused == 1);
  CHECK(result.resizes_in_place == 1);
  // 2 vcpus for 3 hours, then 1 for 6.
  CHECK((result.run.vm_revenue == Revenue{12} * SimTime(hours(1)).count()));
}

TEST_CASE("life engine: agrees with the slow simulator on random small clouds") {
  LifeResult sum;
  for (std::uint64_t seed = 0; seed < 640; ++seed) {
    Workload workload = random_workload({.seed = seed, .requests = 70});
    if (seed % 5 == 0) add_groups(seed, workload);
    // Every fourth in minutes where days were, for what goes by the hour.
    if (seed % 4 == 3) workload = hurried(std::move(workload));
    Settings settings = random_settings(seed);
    if (seed % 7 == 0) make_mixed(seed, settings, workload);
    check_against_reference(workload, settings, random_plan(seed, workload, settings.hosts), sum);
  }
  // The clouds are such that all of it happens often.
  for (const std::uint64_t count :
       {sum.vms_late, sum.spots_late, sum.spots_returned, sum.vms_evacuated, sum.vms_migrated,
        sum.vms_restarted, sum.vms_lost, sum.spots_lost, sum.spots_stopped, sum.resizes_in_place,
        sum.resizes_moved, sum.resizes_refused, sum.resizes_missed, sum.waiting}) {
    CHECK(count > 50);
  }
  // In runs where it is counted.
  CHECK(sum.spot_work.useful > 300);
  CHECK(sum.spot_work.wasted > 200);
  CHECK(sum.spot_work.restoring > 20);
  CHECK(sum.spot_work.back > 50);
}

}  // namespace
}  // namespace cospot
