// Priority levels: against the slow simulator, against the engine of two levels, and by hand.
#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/random.hpp"
#include "filters/economy_filter.hpp"
#include "sim_harness/provider/loop/simulation_engine.hpp"
#include "sim_harness/provider/run/allocator.hpp"
#include "sim_harness/studies/provider/parts/economy_levels.hpp"
#include "tests/cpp/engine_checks.hpp"
#include "tests/cpp/error_text.hpp"
#include "tests/cpp/random_cloud.hpp"
#include "tests/cpp/random_workload.hpp"
#include "tests/cpp/reference_provider.hpp"

namespace cospot {
namespace {

struct LevelSettings {
  ResourceVector host{};
  std::size_t hosts = 0;
  std::size_t levels = 3;
  std::vector<std::uint8_t> level_of{};  ///< of each row
  std::string vm = "UTIL";               ///< of all levels but the lowest: UTIL, COS or DPD
  std::string spot = "sUTIL";
  std::string evictor = "FIFO";  ///< or YJF, LPO
  bool saf = false;
  std::size_t otn = 1;
  std::vector<reference::HostSettings>
      places{};                      ///< where each host stands, its total aside; empty: nowhere
  std::int64_t promised_vcpus = -1;  ///< to level 1; negative: no limit
};

reference::ProviderOutcome reference_outcome(const Workload& workload,
                                             const LevelSettings& settings) {
  reference::ProviderCase one{.hosts = settings.places,
                              .levels = settings.levels,
                              .level_of = settings.level_of,
                              .vm = settings.vm,
                              .spot = settings.spot,
                              .evictor = settings.evictor,
                              .saf = settings.saf,
                              .otn = settings.otn,
                              .promised_vcpus = settings.promised_vcpus};
  one.hosts.resize(settings.hosts);
  for (reference::HostSettings& host : one.hosts) host.total = settings.host;
  return reference::simulate_provider(workload, one);
}

ChainSpec chain_named(const std::string& weigher) {
  return {.label = weigher, .weighers = {{.name = weigher}}};
}

Allocator allocator_of(const LevelSettings& settings, bool with_placements = false) {
  const ChainSide side = settings.saf ? ChainSide::kVmAvoidingSpots : ChainSide::kVm;
  Allocator allocator{
      .vm = make_chain(chain_named(settings.vm), side, with_placements),
      .spot = make_chain(chain_named(settings.spot), ChainSide::kSpot, with_placements),
      .evictor = make_evictor({.label = settings.evictor, .name = settings.evictor}),
      .otn = settings.otn};
  for (std::size_t level = 1; level + 1 < settings.levels; ++level) {
    ChainSpec spec = chain_named(settings.vm);
    if (level == 1 && settings.promised_vcpus >= 0) {
      spec.filters.push_back({.name = "EconomyPromise"});
    }
    allocator.between.push_back(make_chain(spec, side, with_placements));
  }
  return allocator;
}

/// Notes where each instance is placed first, as an owner of forecasts, who makes no engine take
/// another way; what `owner` has to say is handed on.
class PlacementNotes final : public ForecastOwner {
 public:
  explicit PlacementNotes(const Workload& workload, ForecastOwner* owner = nullptr)
      : first_host_of(workload.rows.size(), kNoHost), owner_(owner) {}

  [[nodiscard]] SimTime next_refresh() const override {
    return owner_ == nullptr ? kNever : owner_->next_refresh();
  }
  void refresh() override { owner_->refresh(); }
  [[nodiscard]] const Forecasts& forecasts() const override {
    return owner_ == nullptr ? none_ : owner_->forecasts();
  }
  void placed(const Request& request, HostIndex host) override {
    first_host_of[request.instance] = host;
    if (owner_ != nullptr) owner_->placed(request, host);
  }
  void evicted(InstanceIndex victim, HostIndex host, const Request& for_vm) override {
    if (owner_ != nullptr) owner_->evicted(victim, host, for_vm);
  }
  void departed(InstanceIndex instance, HostIndex host, SimTime time) override {
    if (owner_ != nullptr) owner_->departed(instance, host, time);
  }

  std::vector<HostIndex> first_host_of;

 private:
  ForecastOwner* owner_;
  Forecasts none_;
};

/// A level for each row; the lowest one for spots more often than not.
std::vector<std::uint8_t> random_levels(const Workload& workload, std::size_t levels,
                                        std::uint64_t seed) {
  Random random(seed);
  std::vector<std::uint8_t> drawn;
  for (const WorkloadRow& row : workload.rows) {
    const auto lower = static_cast<std::uint8_t>(1 + random.below(levels - 1));
    drawn.push_back(row.is_spot() ? lower : 0);
  }
  return drawn;
}

/// The hosts, where they stand, and the tenants that some are kept for.
struct Cloud {
  HostTable hosts;
  IsolatedTenants isolated;
};

Cloud cloud_of(const LevelSettings& settings) {
  if (settings.places.empty()) return {HostTable::uniform(settings.hosts, settings.host), {}};
  reference::Settings cloud{.hosts = settings.hosts, .each = settings.places};
  for (reference::HostSettings& host : cloud.each) host.total = settings.host;
  const RunSettings run = run_settings_of(cloud);
  return {make_hosts(run), run.host.isolated_tenants()};
}

void check_levels_against_reference(const Workload& workload, const LevelSettings& settings) {
  CAPTURE(workload.name);
  CAPTURE(settings.vm);
  CAPTURE(settings.spot);
  CAPTURE(settings.evictor);
  CAPTURE(settings.saf);
  CAPTURE(settings.otn);
  CAPTURE(settings.levels);
  const Cloud cloud = cloud_of(settings);
  const EventSchedule schedule =
      make_schedule(workload, ScheduledClasses::kVmsAndSpots, cloud.isolated);
  SimulationEngine engine(schedule, cloud.hosts, allocator_of(settings, schedule.has_placements()),
                          {.level_of = settings.level_of});
  const std::vector<PromiseStep> steps{
      {.from = SimTime::min(), .vcpus = settings.promised_vcpus, .memory_mb = 1'000'000}};
  PromiseOwner owner(steps, workload, settings.level_of);
  PlacementNotes notes(workload, settings.promised_vcpus >= 0 ? &owner : nullptr);
  engine.set_forecasts(&notes);
  engine.run();
  const reference::ProviderOutcome expected = reference_outcome(workload, settings);
  CHECK(notes.first_host_of == expected.first_host_of);
  CHECK(engine.level_outcomes() == expected.levels);
}

TEST_CASE("level engine: agrees with the slow simulator on random small clouds") {
  static constexpr std::array<const char*, 3> kVm{"UTIL", "COS", "DPD"};
  static constexpr std::array<const char*, 6> kSpot{"sUTIL",   "sCOS",   "sDPD",
                                                    "vmaUTIL", "vmaCOS", "vmaDPD"};
  static constexpr std::array<const char*, 3> kEvictors{"FIFO", "YJF", "LPO"};
  std::uint64_t economy_evictions = 0, spot_evictions = 0;
  Random random(16);
  for (std::uint64_t seed = 0; seed < 180; ++seed) {
    Workload workload = random_workload({.seed = seed, .spot_percent = 60});
    LevelSettings settings{.host = {10, 10, 0},
                           .hosts = 4,
                           .levels = seed % 5 == 4 ? std::size_t{4} : std::size_t{3},
                           .vm = kVm[seed % 3],
                           .spot = kSpot[seed % 6],
                           .evictor = kEvictors[seed / 3 % 3],
                           .saf = seed % 2 == 1,
                           .otn = 1 + seed / 9 % 3};
    if (seed % 4 == 3) settings.promised_vcpus = 8;
    if (seed >= 90) {  // with zones, metadata, tenants and groups
      settings.places = random_cloud(random, settings.hosts);
      ask_for_places(random, workload);
    }
    settings.level_of = random_levels(workload, settings.levels, seed);
    check_levels_against_reference(workload, settings);
    const auto results = reference_outcome(workload, settings).levels;
    economy_evictions += results[1].evictions;
    spot_evictions += results.back().evictions;
  }
  // The clouds are such that both happen often.
  CHECK(economy_evictions > 100);
  CHECK(spot_evictions > 500);
}

/// Runs both engines on the same cloud; returns how many spots were evicted.
std::uint64_t check_two_levels(const Workload& workload, const RunSettings& run) {
  const EventSchedule schedule =
      make_schedule(workload, ScheduledClasses::kVmsAndSpots, run.host.isolated_tenants());
  const Allocator allocator = make_allocator(run, schedule.has_placements());
  std::vector<std::uint8_t> level_of;
  for (const WorkloadRow& row : workload.rows) level_of.push_back(row.is_spot() ? 1 : 0);
  SimulationEngine engine(schedule, make_hosts(run), allocator, {.level_of = level_of});
  PlacementNotes notes(workload);
  engine.set_forecasts(&notes);
  engine.run();
  SimulationEngine expected(schedule, make_hosts(run), allocator);
  EventRecorder recorder;
  expected.set_observer(&recorder);
  expected.run();
  std::vector<HostIndex> placements(workload.rows.size(), kNoHost);
  for (const reference::Event& event : recorder.events) {
    if (event.kind == reference::EventKind::kPlaced) placements[event.instance] = event.host;
  }
  CHECK(notes.first_host_of == placements);
  const RunResult result = expected.result();
  const std::vector<LevelOutcome> of = engine.level_outcomes();
  CHECK(of[0].rejected() == result.vm_rejected);
  CHECK((of[0].revenue() == result.vm_revenue));
  CHECK(of[1].requests - of[1].rejected() == result.spot_admitted);
  CHECK(of[1].evictions == result.evictions);
  CHECK((of[1].revenue() == result.spot_revenue));
  return result.evictions;
}

TEST_CASE("level engine: two levels are the engine of VMs and spots under every constraint") {
  Random random(17);
  std::uint64_t evictions = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    CAPTURE(seed);
    const std::size_t hosts = 2 + random.below(6);
    Workload workload = random_workload({.seed = seed, .host = {12, 12, 0}, .hosts = hosts});
    ask_for_places(random, workload);
    RunSettings run = run_settings_of({.hosts = hosts,
                                       .vm = seed % 2 == 0 ? "COS" : "UTIL",
                                       .spot = seed % 3 == 0 ? "vmaDPD" : "sUTIL",
                                       .evictor = seed % 5 == 0 ? "LPO" : "FIFO",
                                       .saf = seed % 4 == 1,
                                       .otn = 1 + seed % 3,
                                       .each = random_cloud(random, hosts)});
    if (seed % 2 == 1) {  // soft forms weigh
      for (ChainSpec* chain : {&run.vm, &run.spot}) {
        chain->weighers.push_back({.name = "ServerGroupSoftAntiAffinityWeigher"});
        chain->weighers.push_back({.name = "ServerGroupSoftAffinityWeigher"});
      }
    }
    evictions += check_two_levels(workload, run);
  }
  CHECK(evictions > 300);
}

TEST_CASE("level engine: two levels are the engine of VMs and spots") {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    CAPTURE(seed);
    check_two_levels(random_workload({.seed = seed}),
                     run_settings_of({.host = {10, 10, 0},
                                      .hosts = 4,
                                      .vm = seed % 2 == 0 ? "COS" : "DPD",
                                      .spot = "sUTIL",
                                      .evictor = seed % 3 == 0 ? "LPO" : "FIFO",
                                      .saf = seed % 4 == 1,
                                      .otn = 1 + seed % 3}));
  }
}

WorkloadRow level_row(ResourceAmount vcpus, int start_hour, int end_hour, bool is_spot) {
  return {.resources = {vcpus, vcpus, 0},
          .instance_class = is_spot ? InstanceClass::kSpot : InstanceClass::kVm,
          .start = std::chrono::hours(start_hour),
          .end = std::chrono::hours(end_hour)};
}

TEST_CASE("level engine: VMs take spots first, and economy instances only where they must") {
  Workload workload{.name = "w"};
  // One host of 10. Economy 4 and spots 2 + 3 run. A VM of 4 needs 3: the first spot, then the
  // second go, the economy instance stays. A VM of 5 then needs 3 of the economy instance's 4.
  workload.rows = {level_row(4, 0, 100, true), level_row(2, 1, 100, true),
                   level_row(3, 2, 100, true), level_row(4, 3, 100, false),
                   level_row(5, 4, 100, false)};
  const LevelSettings settings{.host = {10, 10, 0}, .hosts = 1, .level_of = {1, 2, 2, 0, 0}};
  const EventSchedule schedule = make_schedule(workload);
  SimulationEngine engine(schedule, HostTable::uniform(1, settings.host), allocator_of(settings),
                          {.level_of = settings.level_of});
  engine.run();
  CHECK(engine.level_outcomes()[2].evictions == 2);
  CHECK(engine.level_outcomes()[1].evictions == 1);
  CHECK(engine.level_outcomes()[0].rejected() == 0);
  // Economy: 4 vcpus for 4 hours of 100. Spots: 2 for 2 hours, 3 for 1 hour.
  const Revenue hour = std::chrono::microseconds(std::chrono::hours(1)).count();
  CHECK((engine.level_outcomes()[1].revenue() == 16 * hour));
  CHECK((engine.level_outcomes()[2].revenue() == 7 * hour));
  CHECK(engine.host_of(0) == kNoHost);
  CHECK(engine.host_of(4) == 0);
}

TEST_CASE(
    "level engine: where an economy instance must go, no more spots go than are needed then") {
  Workload workload{.name = "w"};
  // One host of 10: economy 6, spots 2 + 2. A VM of 5 needs 5: both spots are not enough (4), so
  // the economy instance goes, and frees enough alone.
  workload.rows = {level_row(6, 0, 100, true), level_row(2, 1, 100, true),
                   level_row(2, 2, 100, true), level_row(5, 3, 100, false)};
  const LevelSettings settings{.host = {10, 10, 0}, .hosts = 1, .level_of = {1, 2, 2, 0}};
  const EventSchedule schedule = make_schedule(workload);
  SimulationEngine engine(schedule, HostTable::uniform(1, settings.host), allocator_of(settings),
                          {.level_of = settings.level_of});
  engine.run();
  CHECK(engine.level_outcomes()[1].evictions == 1);
  CHECK(engine.level_outcomes()[2].evictions == 0);
}

TEST_CASE("level engine: of the offered hosts, one where no economy instance is evicted wins") {
  Workload workload{.name = "w"};
  // Hosts of 10. First fit puts economy 9 on host 0 and spots 5 + 4 on host 1. UTIL offers both
  // to a VM of 10, host 0 first; two spots are evicted rather than one economy instance.
  workload.rows = {level_row(9, 0, 100, true), level_row(5, 1, 100, true),
                   level_row(4, 2, 100, true), level_row(10, 3, 100, false)};
  LevelSettings settings{.host = {10, 10, 0}, .hosts = 2, .level_of = {1, 2, 2, 0}, .otn = 2};
  const EventSchedule schedule = make_schedule(workload);
  SimulationEngine engine(schedule, HostTable::uniform(2, settings.host), allocator_of(settings),
                          {.level_of = settings.level_of});
  engine.run();
  CHECK(engine.host_of(3) == 1);
  CHECK(engine.level_outcomes()[1].evictions == 0);
  CHECK(engine.level_outcomes()[2].evictions == 2);
}

TEST_CASE("level engine: the spot chain sees economy instances as spots") {
  Workload workload{.name = "w"};
  // Economy 4 on host 0, and a VM of 7 beside nobody on host 1. Without a VM, host 0 is in the
  // first tier of vmaUTIL; were the economy instance a VM, the fuller host 1 would be first.
  workload.rows = {level_row(4, 0, 100, true), level_row(7, 1, 100, false),
                   level_row(2, 2, 100, true)};
  LevelSettings settings{.host = {10, 10, 0}, .hosts = 2, .level_of = {1, 0, 2}, .otn = 2};
  settings.spot = "vmaUTIL";
  const EventSchedule schedule = make_schedule(workload);
  SimulationEngine engine(schedule, HostTable::uniform(2, settings.host), allocator_of(settings),
                          {.level_of = settings.level_of});
  engine.run();
  CHECK(engine.host_of(1) == 1);
  CHECK(engine.host_of(2) == 0);
}

TEST_CASE("level engine: adaptive offers follow the load of VMs, also for economy instances") {
  Workload workload{.name = "w"};
  // Economy 5 and a spot of 5 fill host 0. The next economy instance of 5 ranks host 0 first,
  // where the spot would go. VMs use nothing, so two hosts are offered, and it goes to host 1;
  // were the economy instance (5 of 20, 0.25) load, only host 0 would be offered.
  workload.rows = {level_row(5, 0, 100, true), level_row(5, 1, 100, true),
                   level_row(5, 2, 100, true)};
  LevelSettings settings{.host = {10, 10, 0}, .hosts = 2, .level_of = {1, 2, 1}};
  settings.spot = "sUTIL";
  Allocator allocator = allocator_of(settings);
  allocator.otn =
      OfferRule::adaptive({.at_low_load = 2, .at_high_load = 1, .from = 0.1, .to = 0.2});
  const EventSchedule schedule = make_schedule(workload);
  SimulationEngine engine(schedule, HostTable::uniform(2, settings.host), allocator,
                          {.level_of = settings.level_of});
  engine.run();
  CHECK(engine.host_of(1) == 0);
  CHECK(engine.host_of(2) == 1);
  CHECK(engine.level_outcomes()[2].evictions == 0);
}

/// Each row with what it asks: a position in `asked`, from 1 on.
Workload asking(std::vector<WorkloadRow> rows, std::vector<RowPlacement> asked,
                std::vector<ServerGroup> groups = {}) {
  Workload workload{.name = "w"};
  workload.rows = std::move(rows);
  workload.placements = {.asked = std::move(asked), .groups = std::move(groups)};
  return workload;
}

TEST_CASE("level engine: a VM evicts where its zone is, though that costs an economy instance") {
  // h0 in az1, h1 in az2, 10 each. First fit: economy 8 on h0; spots 5 and 4 on h1 (no room for 5
  // on h0; asked to be in az2). A VM of 6 for az1 needs 4 on h0, where the economy instance must
  // go; one without a zone would be better off on h1 (10 - 9 free, needs 5: one spot of 5 goes).
  for (const bool has_zone : {true, false}) {
    Workload workload = asking({level_row(8, 0, 100, true), level_row(5, 1, 100, true),
                                level_row(4, 2, 100, true), level_row(6, 3, 100, false)},
                               {{.rules = {.zone = "az1"}}, {.rules = {.zone = "az2"}}});
    workload.rows[1].placement = workload.rows[2].placement = 2;
    if (has_zone) workload.rows[3].placement = 1;
    const LevelSettings settings{.host = {10, 10, 0},
                                 .hosts = 2,
                                 .level_of = {1, 2, 2, 0},
                                 .otn = 2,
                                 .places = {{.zone = "az1"}, {.zone = "az2"}}};
    const EventSchedule schedule = make_schedule(workload);
    SimulationEngine engine(schedule, cloud_of(settings).hosts, allocator_of(settings, true),
                            {.level_of = settings.level_of});
    engine.run();
    CHECK(engine.host_of(3) == (has_zone ? 0 : 1));
    CHECK(engine.level_outcomes()[1].evictions == (has_zone ? 1 : 0));
    CHECK(engine.level_outcomes()[2].evictions == (has_zone ? 0 : 1));
  }
}

TEST_CASE("level engine: who is evicted or ends is no member of its group any more") {
  // One group with anti-affinity over all levels, two hosts of 10. At hour 0 the spot a (6) on
  // h0, at 1 the economy instance b (6) on h1. At 2 the spot c (1) finds a member everywhere:
  // rejected. At 3 a VM of 8 of nobody's group takes h0 (first fit) and evicts a. At 4 the spot d
  // (1) may go to h0 now. At 5 b ends; at 6 the economy instance e (1) goes to h1.
  Workload workload =
      asking({level_row(6, 0, 100, true), level_row(6, 1, 5, true), level_row(1, 2, 100, true),
              level_row(8, 3, 100, false), level_row(1, 4, 100, true), level_row(1, 6, 100, true)},
             {{.group = 0}}, {{.id = "apart", .policy = GroupPolicy::kAntiAffinity}});
  for (const std::size_t member : {0U, 1U, 2U, 4U, 5U}) workload.rows[member].placement = 1;
  const LevelSettings settings{.host = {10, 10, 0}, .hosts = 2, .level_of = {2, 1, 2, 0, 2, 1}};
  const EventSchedule schedule = make_schedule(workload);
  SimulationEngine engine(schedule, cloud_of(settings).hosts, allocator_of(settings, true),
                          {.level_of = settings.level_of});
  PlacementNotes notes(workload);
  engine.set_forecasts(&notes);
  engine.run();
  CHECK(notes.first_host_of == std::vector<HostIndex>{0, 1, kNoHost, 0, 0, 1});
  CHECK(engine.level_outcomes()[2].evictions == 1);
  // Chains that do not look at groups are a mistake.
  CHECK(contains(error_text<ConfigError>([&] {
                   const SimulationEngine none(schedule, cloud_of(settings).hosts,
                                               allocator_of(settings),
                                               {.level_of = settings.level_of});
                 }),
                 "no filter of the chain looks at that"));
}

TEST_CASE("EconomyPromise: every host passes while the promise lasts, none where there is none") {
  const HostTable hosts = HostTable::uniform(2, {10, 10, 0});
  const std::array<HostIndex, 2> candidates{0, 1};
  const EconomyPromise promise{
      .promised_vcpus = 8, .promised_memory_mb = 10, .used_vcpus = 5, .used_memory_mb = 7};
  const Forecasts forecasts{.economy = &promise};
  const EconomyFilter plain(PluginOptions{});
  const auto passes = [&](ResourceAmount vcpus, const Forecasts* known,
                          ResourceAmount memory_mb = 0, const EconomyFilter* filter = nullptr) {
    std::array<std::uint8_t, 2> passed{};
    Request request{.vcpus = vcpus, .memory_mb = memory_mb};
    request.forecasts = known;
    (filter == nullptr ? plain : *filter).filter_all(hosts.view(), candidates, request, passed);
    CHECK(passed[0] == passed[1]);
    return passed[0] == 1;
  };
  CHECK(passes(3, &forecasts));  // 5 + 3 <= 8
  CHECK_FALSE(passes(4, &forecasts));
  CHECK(passes(3, &forecasts, 3));  // 7 + 3 <= 10
  CHECK_FALSE(passes(3, &forecasts, 4));
  // Nobody says what is promised: as before the first prediction, nothing is.
  const Forecasts none;
  CHECK_FALSE(passes(1, nullptr));
  CHECK_FALSE(passes(1, &none));
  const EconomyFilter admitting(
      PluginOptions("EconomyPromise", {{"before_first_refresh", "admit"}}));
  CHECK(passes(100, nullptr, 0, &admitting));
  CHECK(passes(100, &none, 0, &admitting));
  CHECK_FALSE(passes(4, &forecasts, 0, &admitting));  // once it is known, it holds
  CHECK_THROWS_AS(EconomyFilter(PluginOptions("EconomyPromise", {{"before_first_refresh", "no"}})),
                  ConfigError);
  CHECK_THROWS_AS(EconomyFilter(PluginOptions("EconomyPromise", {{"promise", 1.0}})), ConfigError);
}

TEST_CASE("levels: a larger share of the spots holds a smaller one") {
  const Workload workload = random_workload({.seed = 3, .requests = 2000});
  const auto few = levels_of(workload, 10, 1), many = levels_of(workload, 40, 1);
  std::size_t spots = 0, economy = 0;
  for (std::size_t i = 0; i < few.size(); ++i) {
    CHECK((few[i] == 0) == !workload.rows[i].is_spot());
    if (few[i] == 1) CHECK(many[i] == 1);
    spots += workload.rows[i].is_spot() ? 1 : 0;
    economy += few[i] == 1 ? 1 : 0;
  }
  // 10 % of about 900: a standard deviation of 9.
  CHECK(std::abs(static_cast<double>(economy) - 0.1 * static_cast<double>(spots)) < 40);
}

}  // namespace
}  // namespace cospot
