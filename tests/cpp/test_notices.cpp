// A reserve of free capacity and the notices of those who hold it, worked out by hand. Random
// clouds with every other part: test_provider_loop.cpp.
#include <doctest/doctest.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "filters/reserve_filter.hpp"
#include "sim_harness/provider/loop/provider_run.hpp"
#include "sim_harness/provider/notices/notice_result.hpp"
#include "sim_harness/provider/notices/reserve_settings.hpp"
#include "tests/cpp/engine_checks.hpp"
#include "tests/cpp/life_fixtures.hpp"
#include "tests/cpp/random_workload.hpp"

namespace cospot {
namespace {

using namespace std::chrono_literals;

TEST_CASE("ReservedCapacity: as many VMs as the scarcest resource holds, disk unless asked aside") {
  const ReservedCapacity both{.size = {4, 3, 0}, .count = 1};
  CHECK(both.vms_in({13, 100, 0}) == 3);  // 13 / 4
  CHECK(both.vms_in({100, 8, 0}) == 2);   // 8 / 3
  CHECK(both.vms_in({3, 100, 0}) == 0);
  CHECK(both.vms_in({-8, 100, 0}) == 0);
  const ReservedCapacity memory{.size = {0, 3, 0}, .count = 1};
  CHECK(memory.vms_in({0, 9, 0}) == 3);
}

TEST_CASE("ReserveFilter: a spot takes what the reserve can spare, and what is no VM's capacity") {
  // Free are 6, 9 and 3: one VM of 4, two, none. Three together.
  const HostTable hosts({{.name = "h0", .total = {10, 10}, .vm_used = {4, 4}, .num_vms = 1},
                         {.name = "h1", .total = {10, 10}, .spot_used = {1, 1}, .num_spots = 1},
                         {.name = "h2", .total = {10, 10}, .vm_used = {7, 7}, .num_vms = 1}});
  const std::array<HostIndex, 3> candidates{0, 1, 2};
  const auto passes = [&](std::int64_t count, const Request& request) {
    const ReserveFilter filter(PluginOptions(
        "Reserve", {{"vcpus", std::int64_t{4}}, {"memory_mb", std::int64_t{4}}, {"count", count}}));
    std::array<std::uint8_t, 3> found{};
    filter.filter_all(hosts.view(), candidates, request, found);
    return found;
  };
  const auto spot = [](ResourceAmount size) {
    return Request{.vcpus = size, .memory_mb = size, .instance_class = InstanceClass::kSpot};
  };
  using Passes = std::array<std::uint8_t, 3>;
  // Of size 2: h0 keeps its one VM, h1 has one less, h2 had none.
  CHECK(passes(2, spot(2)) == Passes{1, 1, 1});
  CHECK(passes(3, spot(2)) == Passes{1, 0, 1});
  // Of size 3: h0 has none any more, h1 one; two are left on the whole.
  CHECK(passes(2, spot(3)) == Passes{1, 1, 1});
  CHECK(passes(3, spot(3)) == Passes{0, 0, 1});
  // A reserve that is not complete has nothing to spare.
  CHECK(passes(4, spot(3)) == Passes{0, 0, 1});
  // Without its spot of 1, h1 has capacity for two all the same.
  CHECK(passes(5, spot(1)) == Passes{1, 1, 1});
  Request vm = spot(3);
  vm.instance_class = InstanceClass::kVm;
  CHECK(passes(3, vm) == Passes{1, 1, 1});
  CHECK_THROWS_AS(passes(-1, vm), ConfigError);
}

TEST_CASE("ReserveFilter: while the reserve lacks a VM, no spot gets what its notices free") {
  // VMs of 8 on hosts of 10. h0 is half free: 6 with a spot of 4. h1 has 6 too, beside a VM of 4,
  // so no notice helps there. h2 is the same as h0 with a VM of 3: without its spot 7, too little.
  const auto passes = [&](ResourceAmount free_on_h3, ResourceAmount size) {
    const HostTable hosts({{.name = "h0", .total = {10, 10}, .spot_used = {4, 4}, .num_spots = 1},
                           {.name = "h1", .total = {10, 10}, .vm_used = {4, 4}, .num_vms = 1},
                           {.name = "h2",
                            .total = {10, 10},
                            .vm_used = {3, 3},
                            .spot_used = {1, 1},
                            .num_vms = 1,
                            .num_spots = 1},
                           {.name = "h3",
                            .total = {10, 10},
                            .vm_used = {10 - free_on_h3, 10 - free_on_h3},
                            .num_vms = 1}});
    const ReserveFilter filter(PluginOptions(
        "Reserve",
        {{"vcpus", std::int64_t{8}}, {"memory_mb", std::int64_t{8}}, {"count", std::int64_t{1}}}));
    const std::array<HostIndex, 3> candidates{0, 1, 2};
    std::array<std::uint8_t, 3> found{};
    filter.filter_all(
        hosts.view(), candidates,
        Request{.vcpus = size, .memory_mb = size, .instance_class = InstanceClass::kSpot}, found);
    return found;
  };
  using Passes = std::array<std::uint8_t, 3>;
  CHECK(passes(7, 1) == Passes{0, 1, 1});
  CHECK(passes(7, 4) == Passes{0, 1, 1});
  CHECK(passes(8, 4) == Passes{1, 1, 1});  // h3 is the reserve
}

TEST_CASE("NoticeResult: mean and quantiles are of all evictions, those without notice included") {
  NoticeResult result{.evictions = 5, .lengths = {60s, 120s, 30s}};
  CHECK(result.mean_s() == doctest::Approx(42));  // 210 / 5
  CHECK(result.quantile_s(0.1) == 0.0);           // 0 0 30 60 120
  CHECK(result.quantile_s(0.4) == 0.0);
  CHECK(result.quantile_s(0.5) == 30.0);
  CHECK(result.quantile_s(0.9) == 120.0);
  CHECK_FALSE(NoticeResult{}.mean_s());
  CHECK_FALSE(NoticeResult{}.quantile_s(0.5));
}

/// A run on hosts of 10 vcpus and 10 MB, and what happened in it: `seconds what instance`.
class SmallRun {
 public:
  void add(const char* id, InstanceClass which, ResourceAmount size, SimTime start, SimTime end) {
    WorkloadRow row;
    row.id = id;
    row.instance_class = which;
    row.resources = {size, size, 0};
    row.start = start;
    row.end = end;
    workload_.rows.push_back(row);
  }
  void spot(const char* id, ResourceAmount size, SimTime start, SimTime end = kNever) {
    add(id, InstanceClass::kSpot, size, start, end);
  }
  void vm(const char* id, ResourceAmount size, SimTime start, SimTime end = kNever) {
    add(id, InstanceClass::kVm, size, start, end);
  }

  void run(std::size_t hosts, const ReserveSettings& reserve, const char* evictor = "FIFO") {
    workload_.window = 1000s;
    RunSettings settings =
        run_settings_of({{10, 10, 0}, hosts, "UTIL", "sUTIL", evictor, false, 1});
    settings.spot.filters.push_back(
        {.name = "Reserve",
         .options = {{"vcpus", std::int64_t{reserve.reserved.size.vcpus}},
                     {"memory_mb", std::int64_t{reserve.reserved.size.memory_mb}},
                     {"count", reserve.reserved.count}}});
    const EventSchedule schedule = make_schedule(workload_);
    ProviderParts parts;
    parts.reserve = reserve;
    const auto log = std::make_shared<Log>(workload_);
    parts.observer = log;
    ProviderRun run(workload_, schedule, settings, make_hosts(settings), std::move(parts));
    run.run();
    events = log->events;
    notices = run.engine().notice_result();
  }

  std::vector<std::string> events;
  NoticeResult notices;

 private:
  class Log final : public RunObserver {
   public:
    explicit Log(const Workload& workload) : workload_(&workload) {}
    void evicted(InstanceIndex victim, HostIndex /*host*/, const Request& for_vm) override {
      note(for_vm.time, for_vm.instance == kNoInstance ? "leaves" : "makes room", victim);
    }
    void placed(const Request& request, HostIndex host) override {
      note(request.time, "on " + std::to_string(host), request.instance);
    }
    void rejected(const Request& request) override {
      note(request.time, "rejected", request.instance);
    }
    void happened(const LifeEvent& event) override {
      note(event.time, event.kind == LifeEventKind::kNotice ? "told" : "untold", event.instance);
    }
    std::vector<std::string> events;

   private:
    void note(SimTime time, const std::string& what, InstanceIndex instance) {
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time).count();
      events.push_back(std::to_string(seconds) + " " + what + " " + workload_->rows[instance].id);
    }
    const Workload* workload_;
  };

  Workload workload_;
};

/// Capacity for one VM of 4 is kept free on two hosts of 10; 100 seconds of notice.
constexpr ReserveSettings kOneOfFour{.reserved = {.size = {4, 4, 0}, .count = 1}, .notice = 100s};

/// Until 60 s: a and b fill host 0. c, of 8, would fit on host 1, but leave no 4 free anywhere; d,
/// of 3, leaves 7. v evicts both on host 0, the only one that is in use and so the first, with no
/// notice. w needs no eviction on host 1: 2 are free on each host, and d is told to go.
SmallRun beginning() {
  SmallRun run;
  run.spot("a", 6, 0s);
  run.spot("b", 4, 10s);
  run.spot("c", 8, 20s);
  run.spot("d", 3, 30s);
  run.vm("v", 8, 40s);
  return run;
}
const std::vector<std::string> kBeginning{"0 on 0 a",  "10 on 0 b",       "20 rejected c",
                                          "30 on 1 d", "40 makes room a", "40 makes room b",
                                          "40 on 0 v", "50 on 1 w",       "50 told d"};

std::vector<std::string> after_beginning(const std::vector<std::string>& more) {
  std::vector<std::string> all = kBeginning;
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST_CASE("reserve: a spot leaves when its notice is over, and none comes into its place") {
  SmallRun run = beginning();
  run.vm("w", 5, 50s, 400s);
  run.spot("e", 2, 200s);  // host 1 has 5 free, of which it would leave 3: it gets host 0
  run.spot("f", 1, 210s);  // leaves 4 on host 1
  run.vm("x", 4, 300s);    // comes into the reserve; f alone could not complete it
  run.run(2, kOneOfFour);
  CHECK(run.events == after_beginning({"150 leaves d", "200 on 0 e", "210 on 1 f", "300 on 1 x"}));
  CHECK(run.notices.evictions == 3);
  CHECK(run.notices.evictions_for_reserve == 1);
  CHECK(run.notices.evictions_with_full_notice == 1);
  CHECK(run.notices.evictions_with_short_notice == 0);
  CHECK(run.notices.evictions_without_notice() == 2);
  CHECK((run.notices.lengths == std::vector<SimTime>{100s}));
  // From 50 s to 150 s; from 300 s, when x leaves nothing of host 1, until w ends at 400 s.
  CHECK((run.notices.lacking == 200s));
}

TEST_CASE("reserve: a VM that needs the capacity of a spot does not wait for its notice") {
  SmallRun run = beginning();
  run.vm("w", 5, 50s);
  run.vm("y", 4, 80s);  // host 0 holds v, of 8; on host 1 2 are free beside w and d
  run.run(2, kOneOfFour);
  CHECK(run.events == after_beginning({"80 makes room d", "80 on 1 y"}));
  CHECK(run.notices.evictions_with_short_notice == 1);
  CHECK(run.notices.evictions_for_reserve == 0);
  CHECK((run.notices.lengths == std::vector<SimTime>{30s}));
}

TEST_CASE("reserve: a notice is withdrawn as soon as the reserve is complete without the spot") {
  SmallRun run = beginning();
  run.vm("w", 5, 50s, 90s);
  run.run(2, kOneOfFour);
  CHECK(run.events == after_beginning({"90 untold d"}));
  CHECK(run.notices.given == 1);
  CHECK(run.notices.withdrawn == 1);
  CHECK(run.notices.evictions == 2);
  CHECK((run.notices.lacking == 40s));
}

TEST_CASE("reserve: what happens at one moment happens before anybody is told") {
  // w takes what the reserve has, and is gone at once.
  SmallRun run = beginning();
  run.vm("w", 5, 50s, 50s);
  run.run(2, kOneOfFour);
  CHECK(run.events == std::vector<std::string>(kBeginning.begin(), kBeginning.end() - 1));
  CHECK(run.notices.given == 0);
}

TEST_CASE("reserve: without a notice spots leave at once, and no eviction counts as told") {
  SmallRun run = beginning();
  run.vm("w", 5, 50s);
  run.run(2, {.reserved = kOneOfFour.reserved, .notice = 0s});
  CHECK(run.events == after_beginning({"50 leaves d"}));
  CHECK(run.notices.evictions_for_reserve == 1);
  CHECK(run.notices.evictions_without_notice() == 3);
  CHECK((run.notices.lacking == 0s));
}

TEST_CASE("reserve: of those whom FIFO would take, a spot that others do without stays") {
  // Host 0 is full with a (1), b (5) and v (4); host 1 with two VMs. FIFO takes a, which frees 1,
  // then b, which frees 5 and suffices alone.
  SmallRun run;
  run.vm("u", 6, 0s);
  run.vm("z", 4, 0s);
  run.spot("a", 1, 10s);
  run.spot("b", 5, 20s);
  run.vm("v", 4, 30s);
  run.run(2, kOneOfFour);
  CHECK(run.events == std::vector<std::string>{"0 on 0 u", "0 on 0 z", "10 on 1 a", "20 on 1 b",
                                               "30 on 1 v", "30 told b", "130 leaves b"});
}

TEST_CASE("reserve: the host on which the evictor loses least") {
  // Both hosts hold a VM of 6. Host 0 has two spots of 2, host 1 one of 4: FIFO counts victims.
  SmallRun run;
  run.vm("u", 6, 0s);
  run.spot("a", 2, 1s);
  run.spot("b", 2, 2s);
  run.vm("w", 6, 3s);
  run.spot("c", 4, 4s);
  // A third host is all the reserve there is, until x takes it.
  run.vm("x", 10, 50s);
  run.run(3, kOneOfFour);
  CHECK(run.events.back() == "150 leaves c");
  CHECK(run.notices.given == 1);
}

TEST_CASE("reserve: a spot that comes during a notice does not cost another one") {
  // The reserve of one VM of 8 is on host 1, which t leaves, until x comes. Then a and b on host 2
  // are told, of whose 10 s has 1. a ends by itself: 6 are free, and b, of 3, has to go for 8. e,
  // of 4, would fit into the 6; then 5 would be free without b, and e would have to go too.
  SmallRun run;
  run.vm("u", 10, 0s);
  run.vm("t", 10, 1s, 20s);
  run.vm("s", 1, 2s);
  run.spot("a", 6, 25s, 50s);
  run.spot("b", 3, 26s);
  run.vm("x", 10, 40s);
  run.spot("e", 4, 60s);
  run.spot("f", 4, 200s);
  run.run(3, {.reserved = {.size = {8, 8, 0}, .count = 1}, .notice = 100s});
  CHECK(run.events == std::vector<std::string>{"0 on 0 u", "1 on 1 t", "2 on 2 s", "25 on 2 a",
                                               "26 on 2 b", "40 on 1 x", "40 told a", "40 told b",
                                               "60 rejected e", "140 leaves b", "200 rejected f"});
  CHECK(run.notices.evictions == 1);
}

TEST_CASE("reserve: without cooperation no VM is placed otherwise than without it") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    const Workload workload = random_workload({.seed = seed, .requests = 200, .spot_percent = 60});
    const EventSchedule schedule = make_schedule(workload);
    const RunSettings settings = run_settings_of({{10, 10, 0}, 4, "COS", "sDPD", "FIFO", false, 1});
    const auto hosts_of_vms = [&](std::int64_t count) {
      RunSettings own = settings;
      ProviderParts parts;
      if (count > 0) {
        own.spot.filters.push_back(
            {.name = "Reserve", .options = {{"vcpus", std::int64_t{3}}, {"count", count}}});
        parts.reserve = ReserveSettings{.reserved = {.size = {3, 0, 0}, .count = count},
                                        .notice = std::chrono::hours(2)};
      }
      struct Places final : RunObserver {
        void placed(const Request& request, HostIndex host) override {
          if (!request.is_spot()) all.emplace_back(request.instance, host);
        }
        std::vector<std::pair<InstanceIndex, HostIndex>> all;
      };
      const auto places = std::make_shared<Places>();
      parts.observer = places;
      ProviderRun run(workload, schedule, own, make_hosts(own), std::move(parts));
      run.run();
      return places->all;
    };
    const auto without = hosts_of_vms(0);
    CHECK(hosts_of_vms(1) == without);
    CHECK(hosts_of_vms(6) == without);
  }
}

}  // namespace
}  // namespace cospot
