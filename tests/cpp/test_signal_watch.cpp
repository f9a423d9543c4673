// Signals of a run: what they are scored by, recounted in the plainest way, and that none of them
// knows its future.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "guarantees/sla/lifetime_quantiles.hpp"
#include "sim_harness/provider/loop/provider_run.hpp"
#include "sim_harness/provider/signals/signal_watch.hpp"
#include "tests/cpp/engine_checks.hpp"
#include "tests/cpp/random_workload.hpp"
#include "tests/cpp/worked_scenarios.hpp"

namespace cospot {
namespace {

using worked::day;

constexpr std::size_t kWatchedHosts = 4;

RunSettings crowded() {
  return {{.vm = chain_of("COS"),
           .spot = chain_of("vmaUTIL"),
           .evictor = evictor_of("YJF"),
           .saf = true,
           .otn = OfferRule(2)},
          ResourceVector{10, 10},
          kWatchedHosts};
}

const std::vector<SignalQuestion>& questions() {
  static const std::vector<SignalQuestion> all{*parse_signal("obtainable:count=1:minutes=30"),
                                               *parse_signal("obtainable:count=3:minutes=90"),
                                               *parse_signal("survives:hours=2"),
                                               *parse_signal("evicted:minutes=45")};
  return all;
}

constexpr SignalTimes kFromTheStart{.every = std::chrono::minutes(30), .warmup = 0, .folds = 4};

/// A run and who watches it.
struct Watched {
  Watched(const Workload& workload, const SignalTimes& times)
      : schedule(make_schedule(workload)),
        watch(std::make_shared<SignalWatch>(workload, make_hosts(crowded()), questions(), times)),
        run(workload, schedule, crowded(), make_hosts(crowded()), parts()) {}

  ProviderParts parts() const {
    ProviderParts made;
    made.observer = watch;
    made.forecasts.push_back(watch->make_listener());
    return made;
  }

  EventSchedule schedule;
  std::shared_ptr<SignalWatch> watch;
  ProviderRun run;
};

/// Most times on a grid of an hour, within three and a half days; spots of nine sizes.
Workload busy_days(std::uint64_t seed) {
  Workload workload = random_workload({.seed = seed, .requests = 400, .hosts = kWatchedHosts});
  for (WorkloadRow& row : workload.rows) {
    row.start /= 6;
    if (row.end != kNever) row.end /= 6;
  }
  std::erase_if(workload.rows, [](const WorkloadRow& row) { return row.start >= day(3.5); });
  workload.window = day(3.5);
  for (WorkloadRow& row : workload.rows) {
    if (!row.is_spot()) continue;
    row.resources = {row.resources.vcpus % 3 + 1, row.resources.memory_mb % 3 + 1, 0};
  }
  return workload;
}

/// What a run looked like all the time.
class Film final : public RunObserver {
 public:
  struct Scene {
    SimTime from, until;
    std::vector<ResourceVector> free;
  };

  void time_passes(const ProviderHosts& hosts, SimTime until) override {
    if (until <= now_) return;
    Scene scene{.from = now_, .until = until, .free = {}};
    for (HostIndex host = 0; host < hosts.table().size(); ++host) {
      scene.free.push_back(hosts.table().free(host, Sees::kVmsAndSpots));
    }
    scenes.push_back(scene);
    now_ = until;
  }
  void placed(const Request& request, HostIndex /*host*/) override {
    if (!request.is_spot()) return;
    ResourceVector size = request.resources();
    if (std::ranges::find(sizes, size) == sizes.end()) {
      sizes.push_back(size);
      known_since.push_back(request.time);
    }
  }
  void rejected(const Request& request) override { placed(request, kNoHost); }

  [[nodiscard]] std::int64_t slots_in(const Scene& scene, const ResourceVector& size) const {
    std::int64_t slots = 0;
    for (const ResourceVector& free : scene.free) slots += slots_of(size, free);
    return slots;
  }

  std::vector<Scene> scenes;
  std::vector<ResourceVector> sizes;
  std::vector<SimTime> known_since;

 private:
  SimTime now_ = SimTime::min();
};

Film film_of(const Workload& workload) {
  const EventSchedule schedule = make_schedule(workload);
  ProviderParts parts;
  const auto film = std::make_shared<Film>();
  parts.observer = film;
  ProviderRun run(workload, schedule, crowded(), make_hosts(crowded()), std::move(parts));
  run.run();
  return *film;
}

TEST_CASE("signals: whether spots come to fit is what a look at every moment says") {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const Workload workload = busy_days(seed);
    Watched watched(workload, kFromTheStart);
    watched.run.run();
    const Film film = film_of(workload);
    for (const std::size_t question : {0U, 1U}) {
      const SignalQuestion& of = questions()[question];
      std::uint64_t cases = 0, happened = 0;
      for (SimTime now = kFromTheStart.every; now + of.span <= workload.window;
           now += kFromTheStart.every) {
        for (std::size_t size = 0; size < film.sizes.size(); ++size) {
          if (film.known_since[size] >= now) continue;
          ++cases;
          happened += std::ranges::any_of(film.scenes, [&](const Film::Scene& scene) {
            // Events of the moment itself come after it: what was before it still counts.
            return scene.from < now + of.span && scene.until >= now &&
                   film.slots_in(scene, film.sizes[size]) >= of.count;
          });
        }
      }
      CAPTURE(seed);
      CAPTURE(question);
      const SignalScore score = watched.watch->score(question);
      CHECK(score.score.cases() == cases);
      CHECK(score.score.observed() ==
            doctest::Approx(static_cast<double>(happened) / static_cast<double>(cases)));
      CHECK(happened > 0);
      CHECK(happened < cases);
    }
  }
}

/// When spots came and were evicted, of all spots.
class Fates final : public RunObserver {
 public:
  struct Fate {
    SimTime placed{0};
    SimTime ended = kNever;
    bool is_evicted = false;
  };
  void placed(const Request& request, HostIndex /*host*/) override {
    if (request.is_spot()) fates[request.instance] = {.placed = request.time};
  }
  void evicted(InstanceIndex victim, HostIndex /*host*/, const Request& for_vm) override {
    fates[victim].ended = for_vm.time;
    fates[victim].is_evicted = true;
  }
  void departed(InstanceIndex instance, HostIndex /*host*/, SimTime time) override {
    const auto found = fates.find(instance);
    if (found != fates.end()) found->second.ended = time;
  }
  std::map<InstanceIndex, Fate> fates;
};

TEST_CASE("signals: who is evicted is what a list of all spots says") {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const Workload workload = busy_days(seed);
    Watched watched(workload, kFromTheStart);
    watched.run.run();
    const EventSchedule schedule = make_schedule(workload);
    ProviderParts parts;
    const auto seen = std::make_shared<Fates>();
    parts.observer = seen;
    ProviderRun run(workload, schedule, crowded(), make_hosts(crowded()), std::move(parts));
    run.run();
    const SimTime span = questions()[3].span;
    std::uint64_t cases = 0, evicted = 0;
    for (SimTime now = kFromTheStart.every; now + span <= workload.window;
         now += kFromTheStart.every) {
      for (const auto& [instance, fate] : seen->fates) {
        // Events of that very moment come later.
        if (fate.placed >= now || fate.ended < now) continue;
        ++cases;
        evicted += fate.is_evicted && fate.ended < now + span ? 1 : 0;
      }
    }
    CAPTURE(seed);
    const SignalScore score = watched.watch->score(3);
    CHECK(score.score.cases() == cases);
    CHECK(score.score.observed() ==
          doctest::Approx(static_cast<double>(evicted) / static_cast<double>(cases)));
    CHECK(evicted > 0);
    // Of spots that want to live two hours: the first six hours nothing is known.
    std::uint64_t lives = 0, long_lives = 0;
    for (const auto& [instance, fate] : seen->fates) {
      const SimTime due = fate.placed + questions()[2].span;
      // The estimate is made at 6 h, before the events of that time.
      if (fate.placed < std::chrono::hours(6) || due > workload.window) continue;
      if (workload.rows[instance].end < due) continue;
      ++lives;
      long_lives += fate.is_evicted && fate.ended < due ? 0 : 1;
    }
    const SignalScore uptime = watched.watch->score(2);
    REQUIRE(lives > 0);
    CHECK(uptime.score.cases() == lives);
    CHECK(uptime.score.observed() ==
          doctest::Approx(static_cast<double>(long_lives) / static_cast<double>(lives)));
  }
}

/// The same until `time`; then other ends, other requests.
Workload with_other_future(Workload workload, SimTime time) {
  std::erase_if(workload.rows, [&](const WorkloadRow& row) { return row.start >= time; });
  for (std::size_t i = 0; i < workload.rows.size(); ++i) {
    SimTime& end = workload.rows[i].end;
    if (end < time) continue;
    end = i % 2 == 0 ? kNever : time + std::chrono::minutes(i);
  }
  for (int i = 0; i < 20; ++i) {
    workload.rows.push_back(worked::vm({7, 7}, time + std::chrono::minutes(10 * i)));
    workload.rows.push_back(worked::spot({1, 9}, time + std::chrono::minutes(5 * i)));
  }
  return workload;
}

TEST_CASE("signals: no future changes what was told before it") {
  for (const std::uint64_t seed : {4U, 5U}) {
    const Workload workload = busy_days(seed);
    for (const double days : {0.7, 1.2, 1.8}) {
      const SimTime time = day(days);
      const Workload other = with_other_future(workload, time);
      // Numbers of rows are those of the requests before `time` in both.
      Workload same = workload;
      std::erase_if(same.rows, [&](const WorkloadRow& row) { return row.start >= time; });
      Watched one(same, kFromTheStart);
      Watched another(other, kFromTheStart);
      for (Watched* run : {&one, &another}) {
        CHECK(run->run.engine().run({.time = time}) != RunPause::kFinished);
        run->watch->time_passes(run->run.engine().datacenter(), time);
      }
      const std::vector<PoolSignals> signals = one.watch->signals_at(time);
      CHECK(signals == another.watch->signals_at(time));
      CHECK(signals.size() > 3);
      // They are not all certain.
      CHECK(std::ranges::any_of(signals, [](const PoolSignals& of) {
        return std::ranges::any_of(of.probabilities, [](const std::optional<double>& share) {
          return share && *share > 0 && *share < 1;
        });
      }));
    }
  }
}

TEST_CASE("signals: watching changes nothing of a run") {
  const Workload workload = busy_days(6);
  Watched watched(workload, kFromTheStart);
  watched.run.run();
  const EventSchedule schedule = make_schedule(workload);
  ProviderRun alone(workload, schedule, crowded(), make_hosts(crowded()));
  alone.run();
  check_same_result(watched.run.result().run, alone.result().run);
}

TEST_CASE("spot lives: rates by hand") {
  SpotLives lives;
  const auto hour = [](int hours) { return SimTime(std::chrono::hours(hours)); };
  lives.placed(1, 0, hour(-10));
  lives.placed(2, 0, hour(0));
  lives.placed(3, 1, hour(0));
  lives.placed(4, 0, hour(-10));
  lives.ended(4, hour(-1), true);  // before the window: does not count
  lives.ended(1, hour(5), true);   // 5 h in the window, evicted
  lives.ended(2, hour(8), false);  // 8 h
  lives.ended(9, hour(8), true);   // unknown: a VM
  lives.placed(1, 0, hour(700));   // it returns, and runs
  CHECK(lives.running() == 2);
  CHECK(lives.find_running(2) == nullptr);
  const std::vector<EvictionRate> rates = lives.rates(2, hour(710));
  CHECK(rates[0].spots == 3);
  CHECK(rates[0].ended == 2);
  CHECK(rates[0].evictions == 1);
  CHECK(rates[0].spot_hours == doctest::Approx(5 + 8 + 10));
  // 28 days are 672 h: of the last 672 h, from 38 h on, only the one that returned ran.
  CHECK(rates[0].recent_spots == 1);
  CHECK(rates[0].recent_evictions == 0);
  CHECK(rates[1].recent_spots == 1);
  CHECK(rates[1].spot_hours == doctest::Approx(710));
}

TEST_CASE("spot pools: slots by zone, kept in step") {
  const auto places = std::make_shared<const HostPlaces>(HostPlaces{{.zone = "a"}, {.zone = "b"}});
  HostTable hosts({{.name = "1", .total = {4, 4}, .place = 0},
                   {.name = "2", .total = {8, 8}, .place = 1},
                   {.name = "3", .total = {2, 9}, .place = 1}},
                  places);
  SpotPools pools(hosts.view());
  CHECK(pools.pools().empty());
  pools.add({2, 2}, hosts.view());
  pools.add({2, 2}, hosts.view());
  REQUIRE(pools.pools().size() == 3);
  CHECK(pools.pools()[1].zone == "a");
  CHECK(pools.slots(0) == 2 + 4 + 1);
  CHECK(pools.free_share() == doctest::Approx(1));
  CHECK(pools.slots(1) == 2);
  CHECK(pools.slots(2) == 5);
  hosts.add_spot(1, {3, 1});  // 5 x 7 are left
  pools.update(1, hosts.view());
  CHECK(pools.slots(0) == 2 + 2 + 1);
  CHECK(pools.free_share() == doctest::Approx(11.0 / 14));  // memory: 20 of 21
  CHECK(pools.slots(2) == 3);
  CHECK(pools.find({2, 2}) == 0);
  CHECK_FALSE(pools.find({1, 1}));
}

TEST_CASE("signals: labels are read as they are written") {
  for (const SignalQuestion& one : default_signals()) {
    CHECK(parse_signal(signal_label(one)) == one);
  }
  for (const char* wrong : {"", "obtainable", "obtainable:count=0:minutes=10", "obtainable:count=1",
                            "survives:hours=", "survives:minutes=5", "evicted:minutes=10:hours=1",
                            "evicted:minutes=1.5"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_signal(wrong));
  }
}

}  // namespace
}  // namespace cospot
