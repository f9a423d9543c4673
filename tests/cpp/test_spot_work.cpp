// What evictions and outages leave of a spot's work, worked by hand on one host of 10.
#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "sim_harness/provider/disruptions/make_life_plan.hpp"
#include "tests/cpp/life_fixtures.hpp"

namespace cospot {
namespace {

using std::chrono::seconds;

/// Everyone asks for the whole host, so that a spot is on it only while no VM is.
WorkloadRow whole_host(InstanceClass kind, int start_s, int end_s) {
  return {.resources = {10, 10, 0},
          .instance_class = kind,
          .start = seconds(start_s),
          .end = seconds(end_s)};
}

/// A spot with 1000 s of work from 0 on, and VMs in its way.
struct MovingCloud {
  std::vector<std::pair<int, int>> vms{};
  EvictionRule rule{};
  int patience_s = 0;  ///< to return; 0: by default
  bool ends_stay = false;
  int window_s = 10'000;
  std::vector<Outage> outages{};
};

/// A state of 600 MB.
EvictionRule moving(double save_mb_s, double restore_mb_s) {
  return {.what = OnEviction::kMove,
          .state = {.percent = 0, .fixed_mb = 600},
          .bandwidth = {save_mb_s, restore_mb_s}};
}

struct SpotSeconds {
  std::int64_t useful, wasted, restoring;
  std::uint64_t evicted, back;
};

/// In seconds of the whole host. A spot asks again after 100 s, then after 200.
void check_work(const MovingCloud& cloud, const SpotSeconds& expected) {
  Workload workload{.name = "w", .window = seconds(cloud.window_s)};
  workload.rows = {whole_host(InstanceClass::kSpot, 0, 1000)};
  for (const auto& [start, end] : cloud.vms) {
    workload.rows.push_back(whole_host(InstanceClass::kVm, start, end));
  }
  const RunSettings settings = run_settings_of({.host = {10, 10, 0}, .hosts = 1});
  LifeSettings life;
  life.on_eviction = cloud.rule;
  life.ends_stay = cloud.ends_stay;
  if (cloud.patience_s > 0) {
    life.returning_spots = {.patience = seconds(cloud.patience_s), .first_wait = seconds(100)};
  }
  LifePlan plan = make_life_plan(life, workload, make_hosts(settings));
  plan.outages = cloud.outages;
  for (const bool is_watched : {false, true}) {
    const LifeResult result = LifeRun(workload, settings, plan, is_watched).result;
    const auto in_seconds = [](Revenue revenue) {
      return static_cast<std::int64_t>(revenue / 10'000'000);
    };
    CHECK(in_seconds(result.spot_work.useful) == expected.useful);
    CHECK(in_seconds(result.spot_work.wasted) == expected.wasted);
    CHECK(in_seconds(result.spot_work.restoring) == expected.restoring);
    CHECK(in_seconds(result.run.spot_revenue) ==
          expected.useful + expected.wasted + expected.restoring);
    CHECK(result.spot_work.evicted == expected.evicted);
    CHECK(result.spot_work.back == expected.back);
  }
}

constexpr EvictionRule kLosing{};
constexpr EvictionRule kRestarting{.what = OnEviction::kRestart};

TEST_CASE("spot work: a spot that is evicted once, after 400 s") {
  const std::vector<std::pair<int, int>> vm{{400, 450}};
  check_work({.rule = kLosing}, {1000, 0, 0, 0, 0});
  check_work({.vms = vm, .rule = kLosing}, {0, 400, 0, 1, 0});
  // It asks at 500 and has its other 600 s until 1100, as if it saved its work for nothing.
  check_work({.vms = vm, .rule = kLosing, .patience_s = 1000}, {1000, 0, 0, 1, 1});
  // From 500 to 1500, anew.
  check_work({.vms = vm, .rule = kRestarting, .patience_s = 1000}, {1000, 400, 0, 1, 1});
  // 60 s to save, in which it would wait anyway; 30 s to restore from 500 on, then its 600 s.
  check_work({.vms = vm, .rule = moving(10, 20), .patience_s = 1000}, {1000, 0, 30, 1, 1});
  // 600 s to save: it asks at 1000. 300 s to restore, and 600 s until 1900.
  check_work({.vms = vm, .rule = moving(1, 2), .patience_s = 1000}, {1000, 0, 300, 1, 1});
  // 600 s to save are more patience than it has.
  check_work({.vms = vm, .rule = moving(1, 2), .patience_s = 599}, {0, 400, 0, 1, 0});
}

TEST_CASE("spot work: without returning_spots those that restart or move ask for a day") {
  // After 30 s, 60, 120, 240 and 480: at 430, 490, 610, 850 and 1330 the VM is there. The next one
  // comes 960 s later, at 2290.
  const std::vector<std::pair<int, int>> vm{{400, 2000}};
  check_work({.vms = vm, .rule = kRestarting}, {1000, 400, 0, 1, 1});
  check_work({.vms = vm, .rule = kRestarting, .window_s = 2500}, {210, 400, 0, 1, 1});
  // It saves for 60 s, so that all come 30 s later. Of the 180 s after 2320 it restores for 100.
  check_work({.vms = vm, .rule = moving(10, 6), .window_s = 2500}, {400 + 80, 0, 100, 1, 1});
  // It waits when the window ends: its state is there, but nothing of work to begin anew.
  check_work({.vms = vm, .rule = moving(10, 6), .window_s = 2200}, {400, 0, 0, 1, 0});
  check_work({.vms = vm, .rule = kRestarting, .window_s = 2200}, {0, 400, 0, 1, 0});
}

TEST_CASE("spot work: an eviction while the state is restored has nothing to save") {
  // 150 s to save and 300 to restore: evicted at 400, it restores from 550 to 850.
  const EvictionRule rule = moving(4, 2);
  // Evicted at 600 it is back after its 100 s: from 700 it restores until 1000, and works its 600
  // s.
  check_work({.vms = {{400, 450}, {600, 650}}, .rule = rule, .patience_s = 1000},
             {1000, 0, 50 + 300, 1, 1});
  check_work({.vms = {{400, 450}, {850, 900}}, .rule = rule, .patience_s = 1000},
             {1000, 0, 300 + 300, 1, 1});
  // It has worked for 50 s at 900, saves until 1050, restores until 1350: 550 s are left.
  check_work({.vms = {{400, 450}, {900, 950}}, .rule = rule, .patience_s = 1000},
             {1000, 0, 300 + 300, 1, 1});
  // Anew twice: after 400 s, and after 100 s from 500 on.
  check_work({.vms = {{400, 450}, {600, 650}}, .rule = kRestarting, .patience_s = 1000},
             {1000, 400 + 100, 0, 1, 1});
}

TEST_CASE("spot work: a state is a share of the memory") {
  // 10 MB of memory: half of it at 0.1 and 0.05 MB/s takes 50 and 100 s.
  const EvictionRule rule{
      .what = OnEviction::kMove, .state = {.percent = 50}, .bandwidth = {0.1, 0.05}};
  check_work({.vms = {{400, 450}}, .rule = rule, .patience_s = 1000}, {1000, 0, 100, 1, 1});
  // As the broker paper saves and restores 7168 MB: 112.58 and 88.20 s.
  const EvictionRule paper;
  CHECK((paper.save_time(7168) == std::chrono::microseconds(112'580'493)));
  CHECK((paper.restore_time(7168) == std::chrono::microseconds(88'199'828)));
}

TEST_CASE("spot work: an outage leaves no state") {
  // The host is away from 400 to 450. Who moves begins anew at 500, for nothing was saved.
  const std::vector<Outage> away{
      {.host = 0, .notice = seconds(400), .start = seconds(400), .end = seconds(450)}};
  check_work({.rule = kLosing, .patience_s = 1000, .outages = away}, {1000, 0, 0, 0, 0});
  check_work({.rule = kRestarting, .patience_s = 1000, .outages = away}, {1000, 400, 0, 0, 0});
  check_work({.rule = moving(10, 20), .patience_s = 1000, .outages = away}, {1000, 400, 0, 0, 0});
  // Nor is the state of an eviction before it there any more: 200 s, 30 s of restoring from 300 to
  // 330, 70 s of work, then all of it.
  check_work({.vms = {{200, 250}}, .rule = moving(10, 20), .patience_s = 1000, .outages = away},
             {1000, 200 + 70, 30, 1, 1});
}

TEST_CASE("spot work: with ends that stay, a spot works for what is left until then") {
  // Back at 500: 30 s of restoring and 470 s until 1000; anew it has 500 s.
  const std::vector<std::pair<int, int>> vm{{400, 450}};
  check_work({.vms = vm, .rule = moving(10, 20), .patience_s = 1000, .ends_stay = true},
             {400 + 470, 0, 30, 1, 1});
  check_work({.vms = vm, .rule = kRestarting, .patience_s = 1000, .ends_stay = true},
             {500, 400, 0, 1, 1});
  // 600 s to restore, but 500 s until its end.
  check_work({.vms = vm, .rule = moving(10, 1), .patience_s = 1000, .ends_stay = true},
             {400, 0, 500, 1, 1});
}

}  // namespace
}  // namespace cospot
