// Several schedulers on stale views: against the engine, against the slow simulator, by hand, and
// what has to hold in every run.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "core/random.hpp"
#include "sim_harness/provider/loop/simulation_engine.hpp"
#include "sim_harness/provider/run/allocator.hpp"
#include "sim_harness/provider/run/prepared_evictor.hpp"
#include "sim_harness/provider/schedulers/subset_ranking.hpp"
#include "tests/cpp/engine_checks.hpp"
#include "tests/cpp/life_fixtures.hpp"
#include "tests/cpp/random_workload.hpp"
#include "tests/cpp/reference_provider.hpp"
#include "tests/cpp/settings_grid.hpp"
#include "tests/cpp/worked_scenarios.hpp"

namespace cospot {
namespace {

using reference::Event;
using reference::EventKind;
using namespace std::chrono_literals;

struct SchedulersCase {
  ResourceVector host{};
  std::size_t hosts = 0;
  bool saf = false;
  std::size_t otn = 1;
  SchedulerSettings schedulers{};
};

/// What several schedulers came to.
struct SchedulersResult : SchedulerResult {
  LevelOutcome vm, spot;
};

/// Writes down what becomes of instances.
class Recorder final : public RunObserver {
 public:
  void requested(const Request& /*request*/) override {}
  void offered(const Offer& /*offer*/) override {}
  void evicted(InstanceIndex victim, HostIndex host, const Request& for_vm) override {
    events.push_back({for_vm.time, EventKind::kEvicted, victim, host});
  }
  void placed(const Request& request, HostIndex host) override {
    events.push_back({request.time, EventKind::kPlaced, request.instance, host});
  }
  void rejected(const Request& request) override {
    events.push_back({request.time, EventKind::kRejected, request.instance, kNoHost});
  }
  void departed(InstanceIndex /*instance*/, HostIndex /*host*/, SimTime /*time*/) override {}

  std::vector<Event> events;
};

struct Outcome {
  std::vector<Event> events;
  SchedulersResult result;
};

SchedulersResult result_of(const SimulationEngine& engine) {
  const std::vector<LevelOutcome> levels = engine.level_outcomes();
  return {engine.scheduler_result(), levels[0], levels[1]};
}

Outcome simulate(const Workload& workload, const HostTable& hosts, const Allocator& allocator,
                 const SchedulerSettings& settings) {
  const EventSchedule schedule = make_schedule(workload);
  const std::vector<std::uint32_t> tenants = tenant_numbers(workload);
  SimulationEngine engine(schedule, HostTable(hosts), allocator,
                          {.schedulers = &settings, .tenant_of = tenants});
  Recorder recorder;
  engine.set_observer(&recorder);
  engine.run();
  return {.events = std::move(recorder.events), .result = result_of(engine)};
}

reference::Settings reference_settings_of(const SchedulersCase& one) {
  return {.host = one.host, .hosts = one.hosts, .saf = one.saf, .otn = one.otn};
}

Outcome simulate(const Workload& workload, const SchedulersCase& one) {
  const RunSettings run = run_settings_of(reference_settings_of(one));
  return simulate(workload, make_hosts(run), make_allocator(run), one.schedulers);
}

std::vector<RandomWorkloadOptions> small_clouds() {
  return {{.seed = 1, .requests = 60, .host = {10, 10, 0}, .hosts = 3},
          {.seed = 2, .requests = 120, .host = {10, 10, 0}, .hosts = 5},
          {.seed = 3, .requests = 100, .host = {8, 16, 0}, .hosts = 4},
          {.seed = 4, .requests = 80, .host = {12, 10, 20}, .hosts = 4}};
}

/// Settings that random workloads, whose times are multiples of six hours, make something of.
std::vector<SchedulerSettings> scheduler_grid() {
  std::vector<SchedulerSettings> all;
  std::uint64_t seed = 0;
  for (const std::size_t schedulers : {1U, 2U, 3U, 7U}) {
    for (const SimTime refresh : {SimTime(0h), SimTime(5h), SimTime(50h)}) {
      for (const SimTime decision : {SimTime(0h), SimTime(20min), SimTime(6h)}) {
        for (const CommitRule commit : {CommitRule::kGeneration, CommitRule::kCapacity}) {
          for (const RetryRule retry : {RetryRule::kAlternates, RetryRule::kRefresh}) {
            ++seed;
            all.push_back({.schedulers = schedulers,
                           .deal = seed % 5 == 0 ? DealRule::kByTenant : DealRule::kByRequest,
                           .refresh_interval = refresh,
                           .decision_time = decision,
                           .commit = commit,
                           .retry = retry,
                           .retries = seed % 3,
                           .host_subset_size = 1 + seed / 3 % 3,
                           .seed = seed});
          }
        }
      }
    }
  }
  return all;
}

void capture_check(const Workload& workload, const SchedulersCase& one) {
  CAPTURE(workload.name);
  CAPTURE(one.saf);
  CAPTURE(one.otn);
  CAPTURE(one.schedulers.schedulers);
  CAPTURE(static_cast<int>(one.schedulers.deal));
  CAPTURE(one.schedulers.refresh_interval.count());
  CAPTURE(one.schedulers.decision_time.count());
  CAPTURE(static_cast<int>(one.schedulers.commit));
  CAPTURE(static_cast<int>(one.schedulers.retry));
  CAPTURE(one.schedulers.retries);
  CAPTURE(one.schedulers.host_subset_size);
  const EventSchedule schedule = make_schedule(workload);
  const std::vector<std::uint32_t> tenants = tenant_numbers(workload);
  const RunSettings run = run_settings_of(reference_settings_of(one));
  SimulationEngine engine(schedule, make_hosts(run), make_allocator(run),
                          {.schedulers = &one.schedulers, .tenant_of = tenants});
  LifeRecorder recorder(workload);
  engine.set_observer(&recorder);
  engine.run();
  reference::ProviderCase slow = reference::case_of(reference_settings_of(one));
  slow.schedulers = {one.schedulers};
  const reference::ProviderOutcome expected = reference::simulate_provider(workload, slow);
  CHECK(recorder.events == expected.events);
  CHECK(engine.level_outcomes() == expected.levels);
  CHECK(engine.scheduler_result() == expected.schedulers);
}

TEST_CASE("schedulers: agree with the slow simulator on random small clouds") {
  std::uint64_t conflicts = 0, stale = 0, withdrawn = 0, averted = 0, evictions = 0, lost = 0;
  for (const RandomWorkloadOptions& options : small_clouds()) {
    const Workload workload = random_workload(options);
    for (const SchedulerSettings& schedulers : scheduler_grid()) {
      const SchedulersCase one{.host = options.host,
                               .hosts = options.hosts,
                               .saf = schedulers.seed % 2 == 0,
                               .otn = 1 + schedulers.seed % 3,
                               .schedulers = schedulers};
      capture_check(workload, one);
      const SchedulersResult result = simulate(workload, one).result;
      conflicts += result.vm.conflicts + result.spot.conflicts;
      stale +=
          result.vm.lost_to(LossCause::kStaleView) + result.spot.lost_to(LossCause::kStaleView);
      withdrawn += result.vm.lost_to(LossCause::kDelay) + result.spot.lost_to(LossCause::kDelay);
      lost += result.vm.lost_to(LossCause::kConflict) + result.spot.lost_to(LossCause::kConflict);
      averted += result.evictions_averted;
      evictions += result.evictions;
    }
  }
  // Clouds in which nothing of it happens would prove nothing.
  for (const std::uint64_t count : {conflicts, stale, withdrawn, averted, evictions, lost}) {
    CHECK(count > 100);
  }
}

TEST_CASE("schedulers: one that takes no time and refreshes at every decision is the engine") {
  std::size_t number = 0;
  for (const RandomWorkloadOptions& options : small_clouds()) {
    const Workload workload = random_workload(options);
    const EventSchedule schedule = make_schedule(workload);
    for (const reference::Settings& settings :
         reference::settings_grid(options.host, options.hosts)) {
      // Each of them on one of the workloads.
      if (number++ % small_clouds().size() != options.seed - 1) continue;
      CAPTURE(workload.name);
      CAPTURE(reference::describe(settings));
      const RunSettings run = run_settings_of(settings);
      Allocator allocator = make_allocator(run);
      allocator.evictor = prepared_evictor(allocator.evictor, workload, schedule);
      SimulationEngine engine(schedule, make_hosts(run), allocator);
      EventRecorder recorder;
      engine.set_observer(&recorder);
      (void)engine.run();
      const RunResult expected = engine.result();
      std::erase_if(recorder.events,
                    [](const Event& event) { return event.kind == EventKind::kEnded; });
      for (const CommitRule commit : {CommitRule::kGeneration, CommitRule::kCapacity}) {
        const Outcome outcome = simulate(workload, make_hosts(run), allocator, {.commit = commit});
        CHECK(outcome.events == recorder.events);
        const SchedulersResult& result = outcome.result;
        CHECK(result.vm.requests == expected.vm_requests);
        CHECK(result.vm.lost_to(LossCause::kRoom) == expected.vm_rejected);
        CHECK(result.spot.requests == expected.spot_requests);
        CHECK(result.spot.placed() == expected.spot_admitted);
        CHECK(result.evictions == expected.evictions);
        CHECK((result.vm.revenue() == expected.vm_revenue));
        CHECK((result.spot.revenue() == expected.spot_revenue));
        CHECK(result.vm.conflicts + result.spot.conflicts + result.retries == 0);
      }
    }
  }
}

/// Replays what happened: nobody is placed twice or evicted where it is not, no host ever holds
/// more than it has, and VMs never wait for room that spots hold.
void check_conservation(const Workload& workload, const SchedulersCase& one,
                        const Outcome& outcome) {
  std::map<InstanceIndex, std::size_t> ends;  // how many ends each request has
  // Time; at equal times what leaves, then what comes; host; amount.
  std::map<InstanceIndex, std::pair<HostIndex, SimTime>> placed;
  std::vector<std::tuple<SimTime, int, HostIndex, ResourceVector>> steps;
  std::set<InstanceIndex> evicted;
  for (const Event& event : outcome.events) {
    const WorkloadRow& row = workload.rows[event.instance];
    if (event.kind == EventKind::kEvicted) {
      CHECK(row.is_spot());
      REQUIRE(placed.contains(event.instance));
      CHECK(placed[event.instance].first == event.host);
      CHECK(event.time < row.end);
      CHECK(evicted.insert(event.instance).second);
      steps.emplace_back(event.time, 0, event.host, ResourceVector{} - row.resources);
      continue;
    }
    CHECK(++ends[event.instance] == 1);
    if (event.kind != EventKind::kPlaced) continue;
    CHECK(event.time >= row.start);
    placed[event.instance] = {event.host, event.time};
  }
  const SchedulersResult& result = outcome.result;
  for (const LevelOutcome* of : {&result.vm, &result.spot}) {
    CHECK(of->commits == of->placed() + of->conflicts);
  }
  CHECK(placed.size() == result.vm.placed() + result.spot.placed());
  CHECK(ends.size() == result.vm.requests + result.spot.requests);
  CHECK(result.retries <= result.vm.conflicts + result.spot.conflicts);
  CHECK(result.evictions == evicted.size());
  CHECK(result.evictions_needless == 0);
  for (const auto& [instance, where] : placed) {
    const WorkloadRow& row = workload.rows[instance];
    if (row.end == where.second) continue;  // ends as it starts
    steps.emplace_back(where.second, 1, where.first, row.resources);
    if (row.end != kNever && !evicted.contains(instance)) {
      steps.emplace_back(row.end, 0, where.first, ResourceVector{} - row.resources);
    }
  }
  std::ranges::stable_sort(steps, [](const auto& a, const auto& b) {
    return std::tie(std::get<0>(a), std::get<1>(a)) < std::tie(std::get<0>(b), std::get<1>(b));
  });
  std::vector<ResourceVector> used(one.hosts);
  for (const auto& [time, rank, host, amount] : steps) {
    used[host] += amount;
    CHECK(used[host].fits_in(one.host));
  }
}

TEST_CASE("schedulers: every request ends in one state and no host is overcommitted") {
  for (std::uint64_t seed = 10; seed < 16; ++seed) {
    const RandomWorkloadOptions options{
        .seed = seed, .requests = 400, .host = {16, 16, 0}, .hosts = 8};
    const Workload workload = random_workload(options);
    for (SchedulerSettings schedulers : scheduler_grid()) {
      const SchedulersCase one{.host = options.host,
                               .hosts = options.hosts,
                               .saf = schedulers.seed % 2 == 0,
                               .otn = 1 + schedulers.seed % 4,
                               .schedulers = schedulers};
      CAPTURE(seed);
      CAPTURE(schedulers.seed);
      check_conservation(workload, one, simulate(workload, one));
    }
  }
}

// By hand: hosts of 10 vcpus and 10 MB, UTIL, sUTIL, FIFO.

using worked::day;
using worked::spot;
using worked::vm;
using worked::workload_of;

SchedulersCase tens(std::size_t hosts, const SchedulerSettings& schedulers) {
  return {.host = {10, 10}, .hosts = hosts, .schedulers = schedulers};
}

TEST_CASE("schedulers: of two that want the same host, the second is declined and goes elsewhere") {
  // Both decide from day 0 to day 1 on empty hosts, and UTIL's tie goes to h0.
  const Workload workload = workload_of({vm({4, 4}), vm({4, 4})});
  SchedulerSettings two{.schedulers = 2, .decision_time = day(1)};
  const auto placed = [](double time, InstanceIndex instance, HostIndex host) {
    return Event{day(time), EventKind::kPlaced, instance, host};
  };
  Outcome outcome = simulate(workload, tens(2, two));
  CHECK(outcome.events == std::vector{placed(1, 0, 0), placed(1, 1, 1)});
  CHECK(outcome.result.vm.conflicts == 1);
  CHECK(outcome.result.vm.commits == 3);
  CHECK(outcome.result.retries == 1);
  // Deciding again takes another day; h0 has room and is the fuller one.
  two.retry = RetryRule::kRefresh;
  outcome = simulate(workload, tens(2, two));
  CHECK(outcome.events == std::vector{placed(1, 0, 0), placed(2, 1, 0)});
  // There is room on h0: nothing to decline.
  two.commit = CommitRule::kCapacity;
  outcome = simulate(workload, tens(2, two));
  CHECK(outcome.events == std::vector{placed(1, 0, 0), placed(1, 1, 0)});
  CHECK(outcome.result.vm.conflicts == 0);
  // Without a retry the second one is lost, though h1 is empty: 4 vcpus for 14 days.
  two.commit = CommitRule::kGeneration;
  two.retries = 0;
  outcome = simulate(workload, tens(2, two));
  CHECK(outcome.result.vm.lost_to(LossCause::kConflict) == 1);
  CHECK((outcome.result.vm.revenue_lost_to(LossCause::kConflict) == Revenue{4} * day(14).count()));
}

TEST_CASE("schedulers: requests of one tenant, dealt together, do not conflict") {
  // Two of a, two of b, all at once: dealt one by one they are decided on by two schedulers at a
  // time; dealt by tenant, by one for a and one for b, of which the second one to commit finds h0
  // changed both times.
  Workload workload = workload_of({vm({1, 1}), vm({1, 1}), vm({1, 1}), vm({1, 1})});
  workload.rows[0].tenant = workload.rows[1].tenant = "a";
  workload.rows[2].tenant = workload.rows[3].tenant = "b";
  SchedulerSettings two{.schedulers = 2, .deal = DealRule::kByTenant, .decision_time = day(1)};
  CHECK(simulate(workload, tens(2, two)).result.vm.conflicts == 2);
  for (WorkloadRow& row : workload.rows) row.tenant = "a";
  CHECK(simulate(workload, tens(2, two)).result.vm.conflicts == 0);
  two.deal = DealRule::kByRequest;
  CHECK(simulate(workload, tens(2, two)).result.vm.conflicts == 2);
}

TEST_CASE("schedulers: a stale decision evicts nobody who need not go") {
  // The spot leaves 4; both VMs name it. Once it is gone for the first one, 5 are free for the
  // second, or, where the first one takes all, nothing.
  const auto run = [](ResourceVector first, CommitRule rule) {
    return simulate(
               workload_of(
                   {spot({6, 6}), vm(first, day(2)), vm({5, 5}, day(2)), spot({1, 1}, day(9))}),
               tens(1, {.schedulers = 2, .decision_time = day(1), .commit = rule, .retries = 0}))
        .result;
  };
  for (const CommitRule rule : {CommitRule::kGeneration, CommitRule::kCapacity}) {
    CHECK(run({5, 5}, rule).evictions == 1);
    CHECK(run({5, 5}, rule).evictions_averted == 1);
    CHECK(run({10, 10}, rule).evictions == 1);
    CHECK(run({10, 10}, rule).vm.lost_to(LossCause::kConflict) == 1);
  }
  CHECK(run({5, 5}, CommitRule::kCapacity).vm.placed() == 2);
  CHECK(run({5, 5}, CommitRule::kGeneration).vm.placed() == 1);
}

TEST_CASE("schedulers: a victim that has ended by itself is not missed") {
  // The VM decides from day 2 to day 3 to evict the spot, which ends on day 2.5.
  const Workload workload = workload_of({spot({6, 6}, day(0), day(2.5)), vm({5, 5}, day(2))});
  SchedulerSettings one{.decision_time = day(1), .commit = CommitRule::kCapacity};
  SchedulersResult result = simulate(workload, tens(1, one)).result;
  CHECK(result.vm.placed() == 1);
  CHECK(result.evictions == 0);
  CHECK(result.evictions_averted == 1);
  // The host has changed; there is no other.
  one.commit = CommitRule::kGeneration;
  result = simulate(workload, tens(1, one)).result;
  CHECK(result.vm.lost_to(LossCause::kConflict) == 1);
  CHECK(result.evictions == 0);
}

TEST_CASE("schedulers: a planned eviction grows where more has come, by the evictor's rule") {
  // At day 2 the VM (8) sees one spot of 4 on the host of 10 and names it. By day 3 a second spot
  // of 4 has been committed (it decided from day 1.5 to 2.5): to fit 8, both must go.
  const Workload workload = workload_of({spot({4, 4}), spot({4, 4}, day(1.5)), vm({8, 8}, day(2))});
  const SchedulerSettings two{
      .schedulers = 2, .decision_time = day(1), .commit = CommitRule::kCapacity};
  const SchedulersResult result = simulate(workload, tens(1, two)).result;
  CHECK(result.vm.placed() == 1);
  CHECK(result.evictions == 2);
  CHECK(result.evictions_averted == 0);
}

TEST_CASE("schedulers: a refresh sees what happened before it") {
  // The first VM fills the only host until day 1; the second one comes at day 1.5.
  const Workload workload = workload_of({vm({10, 10}, day(0), day(1)), vm({10, 10}, day(1.5))});
  const auto stale = [&](double interval) {
    return simulate(workload, tens(1, {.refresh_interval = day(interval)}))
        .result.vm.lost_to(LossCause::kStaleView);
  };
  CHECK(stale(2) == 1);     // last refresh on day 0
  CHECK(stale(1) == 1);     // on day 1, before the VM has gone
  CHECK(stale(0.75) == 0);  // on day 1.5
  CHECK(stale(0) == 0);
}

TEST_CASE("schedulers: take turns within the refresh interval") {
  // Of two with an interval of 2 days, the first refreshes on days 0, 2, 4, the second on 1,
  // 3, 5. The filler ends on day 2.5; who asks on day 3.5 sees that on day 3, but not on day 2.
  const auto stale = [](std::vector<WorkloadRow> rows) {
    return simulate(workload_of(std::move(rows)),
                    tens(1, {.schedulers = 2, .refresh_interval = day(2)}))
        .result.vm.lost_to(LossCause::kStaleView);
  };
  const WorkloadRow filler = vm({10, 10}, day(0), day(2.5));
  CHECK(stale({filler, vm({10, 10}, day(3.5))}) == 0);                       // the second scheduler
  CHECK(stale({filler, vm({11, 1}, day(0)), vm({10, 10}, day(3.5))}) == 1);  // the first one
}

TEST_CASE("schedulers: refresh times are rounded down to microseconds") {
  // Of three with an interval of 2 us, the second refreshes at 2/3, rounded down 0, 2, 4 us. The
  // filler ends at 1 us; who asks at 2 us sees that, and from 2/3 + 2 us on only later.
  const Workload workload =
      workload_of({vm({10, 10}, day(0), SimTime{1}), vm({10, 10}, SimTime{2})});
  const SchedulersResult result =
      simulate(workload, tens(1, {.schedulers = 3, .refresh_interval = SimTime{2}})).result;
  CHECK(result.vm.placed() == 2);
}

TEST_CASE("schedulers: a view shows an instance without length until the next refresh") {
  const Workload workload = workload_of(
      {vm({10, 10}, day(0.5), day(0.5)), vm({10, 10}, day(0.6)), vm({10, 10}, day(1.1))});
  const auto outcome = [&](double interval) {
    return simulate(workload, tens(1, {.refresh_interval = day(interval)})).result.vm;
  };
  CHECK(outcome(1).placed() == 2);  // the first, and on day 1.1 the third
  CHECK(outcome(1).lost_to(LossCause::kStaleView) == 1);
  CHECK(outcome(0).placed() == 2);  // the second fills the host
  CHECK(outcome(0).lost_to(LossCause::kRoom) == 1);
}

TEST_CASE("schedulers: with refresh, who is declined and then finds no capacity is rejected") {
  // Both decide on the one empty host from day 0 to day 1; it holds one of them.
  const Workload workload = workload_of({vm({6, 6}), vm({6, 6})});
  SchedulerSettings two{.schedulers = 2, .decision_time = day(1)};
  const LevelOutcome alternates = simulate(workload, tens(1, two)).result.vm;
  CHECK(alternates.conflicts == 1);
  CHECK(alternates.lost_to(LossCause::kConflict) == 1);
  two.retry = RetryRule::kRefresh;
  const LevelOutcome refresh = simulate(workload, tens(1, two)).result.vm;
  CHECK(refresh.conflicts == 1);
  CHECK(refresh.lost_to(LossCause::kConflict) == 0);
  CHECK(refresh.lost_to(LossCause::kRoom) == 1);
}

TEST_CASE("schedulers: alternates are normalised over the hosts that declined, too") {
  // Weights of the ranking with host 0 declined: the spread is still 8 - 2, so that an epsilon of
  // 0.5 (3) admits hosts within 3 of the best that is left: 5 and 2, not 8.
  HostTable hosts({{.name = "h0", .total = {10, 10}, .vm_used = {8, 1}, .num_vms = 1},
                   {.name = "h1", .total = {10, 10}, .vm_used = {5, 1}, .num_vms = 1},
                   {.name = "h2", .total = {10, 10}, .vm_used = {2, 1}, .num_vms = 1}});
  const auto chain = make_chain({.label = "UTIL", .weighers = {{.name = "UTIL"}}}, ChainSide::kVm);
  const auto all = chain->make_ranking(hosts);
  const std::vector<HostIndex> declined{0};
  Random random(1);
  SubsetRanking others(*all, declined, 1, random);
  others.start(Request{.vcpus = 1, .memory_mb = 1});
  CHECK(others.next() == 1);
  CHECK(others.weight_spread() == 6);
}

TEST_CASE("schedulers: who waits too long withdraws") {
  // One decision a day: the first VM from day 0 to 1, the second from day 1 to 2, but it ends on
  // day 1.5; the third ends on day 1 and is not begun; the fourth from day 2 to 3.
  const Workload workload = workload_of({vm({1, 1}), vm({2, 2}, day(0), day(1.5)),
                                         vm({3, 3}, day(0), day(1)), vm({4, 4}, day(0), day(5))});
  const SchedulersResult result = simulate(workload, tens(1, {.decision_time = day(1)})).result;
  CHECK(result.vm.placed() == 2);
  CHECK(result.vm.lost_to(LossCause::kDelay) == 2);
  // 1 x 1 + 2 x 1.5 + 3 x 1 + 4 x 3 = 19 vcpu-days
  CHECK((result.vm.revenue_lost_to(LossCause::kDelay) == Revenue{19} * day(1).count()));
  // 1 x 13 + 4 x 2 = 21
  CHECK((result.vm.revenue() == Revenue{21} * day(1).count()));
  CHECK(result.mean_delay_ms() == doctest::Approx(2 * 86'400'000.0));  // (1 + 3) / 2 days
  CHECK(result.longest_delay_ms() == doctest::Approx(3 * 86'400'000.0));
}

TEST_CASE("schedulers: the rules of a group hold at the commit, not in the view only") {
  // Two members with anti-affinity are decided about at once: both choose h0, where there is
  // room.
  Workload workload = workload_of({vm({1, 1}), vm({1, 1})});
  workload.placements.groups = {{.id = "g", .policy = GroupPolicy::kAntiAffinity}};
  workload.placements.asked = {{.group = 0}};
  for (WorkloadRow& row : workload.rows) row.placement = 1;
  const auto hosts_with = [&](GroupPolicy policy) {
    Workload asked = workload;
    asked.placements.groups[0].policy = policy;
    const RunSettings run = run_settings_of({.host = {10, 10}, .hosts = 2});
    const Outcome outcome =
        simulate(asked, make_hosts(run), make_allocator(run, true),
                 {.schedulers = 2, .decision_time = day(1), .commit = CommitRule::kCapacity});
    std::vector<HostIndex> hosts;
    for (const Event& event : outcome.events) hosts.push_back(event.host);
    return hosts;
  };
  CHECK(hosts_with(GroupPolicy::kAntiAffinity) == std::vector<HostIndex>{0, 1});
  CHECK(hosts_with(GroupPolicy::kAffinity) == std::vector<HostIndex>{0, 0});
}

TEST_CASE("schedulers: affinity is broken on a host that has not changed, and declined") {
  // h0 holds 6. Of a group with affinity, 1 goes there and 5, which no longer fits, to h1, which
  // nobody else touches: only the filters tell that a member is on h0 by then.
  Workload workload = workload_of({vm({6, 6}), vm({1, 1}, day(2)), vm({5, 5}, day(2))});
  workload.placements.groups = {{.id = "g", .policy = GroupPolicy::kAffinity}};
  workload.placements.asked = {{.group = 0}};
  workload.rows[1].placement = workload.rows[2].placement = 1;
  const RunSettings run = run_settings_of({.host = {10, 10}, .hosts = 2});
  for (const CommitRule rule : {CommitRule::kGeneration, CommitRule::kCapacity}) {
    const SchedulersResult result =
        simulate(workload, make_hosts(run), make_allocator(run, true),
                 {.schedulers = 2, .decision_time = day(1), .commit = rule})
            .result;
    CHECK(result.vm.placed() == 2);
    CHECK(result.vm.lost_to(LossCause::kConflict) == 1);
  }
}

}  // namespace
}  // namespace cospot
