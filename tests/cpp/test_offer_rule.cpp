#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "core/errors.hpp"
#include "core/handshake/offer_rule.hpp"
#include "core/model/vm_load.hpp"
#include "core/random.hpp"
#include "sim_harness/provider/loop/run_group.hpp"
#include "sim_harness/provider/loop/simulation_engine.hpp"
#include "sim_harness/provider/run/allocator.hpp"
#include "tests/cpp/engine_checks.hpp"
#include "tests/cpp/error_text.hpp"
#include "tests/cpp/random_workload.hpp"
#include "tests/cpp/settings_grid.hpp"
#include "tests/cpp/worked_scenarios.hpp"

namespace cospot {
namespace {

using reference::Settings;

TEST_CASE("OfferRule: labels say all, and read back") {
  const OfferRule schedule =
      OfferRule::adaptive({.at_low_load = 32, .at_high_load = 1, .from = 0.8, .to = 1});
  CHECK(OfferRule(8).label() == "8");
  CHECK(schedule.label() == "adaptive:at_low_load=32:at_high_load=1:from=0.8:to=1");
  CHECK(OfferRule::within(0.05).label() == "epsilon-0.05");
  CHECK(OfferRule::within(0.0001).label() == "epsilon-0.0001");
  CHECK(OfferRule::within(0).label() == "epsilon-0");
  for (const OfferRule& rule : {OfferRule(1), OfferRule(10'000'000), schedule,
                                OfferRule::within(0.1 + 0.2), OfferRule::within(1)}) {
    CHECK((OfferRule::parse(rule.label()) == rule));
  }
  CHECK((OfferRule::parse("adaptive-32-1-0.8-1") == schedule));  // as versions before wrote it
  CHECK((OfferRule(2) < OfferRule(10)));
  CHECK((OfferRule(32) < schedule));
  CHECK((schedule < OfferRule::within(0)));
}

TEST_CASE("OfferRule: what is no rule is refused") {
  const auto error = [](const char* label) {
    return error_text<ConfigError>([&] { (void)OfferRule::parse(label); });
  };
  for (const char* label : {"",
                            "x",
                            "-1",
                            "1.5",
                            "epsilon",
                            "epsilon-",
                            "epsilon-x",
                            "adaptive-1",
                            "adaptive-1-2-0.5",
                            "adaptive-1-2-0.5-1-3",
                            "adaptive-a-2-0.5-1",
                            "adaptive-1-a-0.5-1",
                            "adaptive-1-2-a-1",
                            "adaptive-1-2-0.5-a",
                            "adaptive",
                            "adaptive:",
                            "adaptive:1:2:0.5:1",
                            "adaptive:at_low_load=1:at_high_load=2:from=0.5",
                            "adaptive:at_low_load=1:at_high_load=2:from=0.5:to=",
                            "adaptive:at_low_load=1:at_high_load=2:from=0.5:to=1:",
                            "adaptive:at_high_load=1:at_low_load=2:from=0.5:to=1",
                            "adaptive:at_low_load 1:at_high_load=2:from=0.5:to=1"}) {
    CHECK(contains(error(label),
                   "expected an OTN such as 8, epsilon-0.05 or "
                   "adaptive:at_low_load=32:at_high_load=1:from=0.8:to=1"));
  }
  CHECK(error("0") == "otn is 0, expected at least 1");
  CHECK(error("10000001") == "otn is 10000001, expected at most 10000000");
  CHECK(error("adaptive-0-2-0.5-1") == "at_low_load is 0, expected at least 1");
  CHECK(error("adaptive-2-0-0.5-1") == "at_high_load is 0, expected at least 1");
  CHECK(error("adaptive-1-2-0.5-0.4") == "from is 0.5, expected at most to, which is 0.4");
  CHECK(contains(error("epsilon-1.1"), "epsilon is 1.1"));
  CHECK(contains(error("epsilon-0.00001"), "expected 0, or a fraction from 0.0001 to 1"));
  CHECK(contains(error("epsilon-nan"), "found 'epsilon-nan', expected an OTN such as 8"));
}

TEST_CASE("OfferRule: N follows the load, worked by hand") {
  // N(u) = floor(9 + (1 - 9) t + 1/2), t = (u - 0.5) / (0.9 - 0.5): u = 0.6 -> t = 1/4 -> 7;
  // u = 0.725 -> t = 9/16 -> 4.5 + 1/2 = 5; u = 0.73 -> t = 0.575 -> 4.4 -> 4.
  const OfferRule rule =
      OfferRule::adaptive({.at_low_load = 9, .at_high_load = 1, .from = 0.5, .to = 0.9});
  CHECK(rule.most_hosts(0) == 9);
  CHECK(rule.most_hosts(0.5) == 9);
  CHECK(rule.most_hosts(0.6) == 7);
  CHECK(rule.most_hosts(0.725) == 5);
  CHECK(rule.most_hosts(0.73) == 4);
  CHECK(rule.most_hosts(0.9) == 1);
  CHECK(rule.most_hosts(1) == 1);
  // A step: from = to.
  const OfferRule step =
      OfferRule::adaptive({.at_low_load = 2, .at_high_load = 8, .from = 0.5, .to = 0.5});
  CHECK(step.most_hosts(0.49) == 2);
  CHECK(step.most_hosts(0.5) == 8);
  CHECK(OfferRule(7).most_hosts(0.3) == 7);
}

TEST_CASE("VmLoad: the scarcest resource over all hosts, spots aside") {
  // vcpus 4 + 2 of 20, memory 3 + 12 of 60, disk 5 of 10: 0.3, 0.25, 0.5.
  HostTable hosts({{.name = "a", .total = {10, 20, 10}}, {.name = "b", .total = {10, 40, 0}}});
  hosts.add_vm(0, {4, 3, 5});
  hosts.add_vm(1, {2, 12, 0});
  hosts.add_spot(1, {8, 20, 0});
  VmLoad load(hosts);
  CHECK(load.of_scarcest() == 0.5);
  load.remove_vm({4, 3, 5});
  CHECK(load.of_scarcest() == 12.0 / 60);
  load.add_vm({6, 0, 0});
  CHECK(load.of_scarcest() == 8.0 / 20);
  CHECK(VmLoad(HostTable::uniform(3, {4, 4, 0})).of_scarcest() == 0);
}

TEST_CASE("epsilon: offers the hosts whose weight is close enough, worked by hand") {
  // UTIL weighs h0 .. h3 by vcpus left: -2, -3, -8, -10, a spread of 8. A VM (1,9) fits beside the
  // VMs of each. h1 is 1/8 of the spread below the best, h2 6/8, h3 all of it.
  HostTable hosts = HostTable::uniform(4, {10, 10, 0});
  hosts.add_vm(0, {8, 1, 0});
  hosts.add_vm(1, {7, 1, 0});
  hosts.add_vm(2, {2, 1, 0});
  const Allocator allocator = make_allocator(run_settings_of({.host = {10, 10}, .hosts = 4}));
  const auto ranking = allocator.vm->make_ranking(hosts);
  const auto offered = [&](double epsilon) {
    const Request request{.vcpus = 1, .memory_mb = 9};
    return make_offer(hosts.view(), *ranking, request, OfferRule::within(epsilon)).hosts.size();
  };
  CHECK(offered(0) == 1);
  CHECK(offered(0.124) == 1);
  CHECK(offered(0.125) == 2);
  CHECK(offered(0.74) == 2);
  CHECK(offered(0.75) == 3);
  CHECK(offered(1) == 4);
}

TEST_CASE("epsilon 0: offers exactly the ties of the first host") {
  Random random(5);
  for (int round = 0; round < 200; ++round) {
    HostTable hosts = HostTable::uniform(12, {10, 10, 0});
    for (HostIndex host = 0; host < hosts.size(); ++host) {
      if (random.below(4) == 0) continue;
      const auto size = static_cast<ResourceAmount>(1 + random.below(3));
      hosts.add_vm(host, {size, size, 0});
    }
    const char* policy = round % 3 == 0 ? "UTIL" : round % 3 == 1 ? "COS" : "DPD";
    const auto chain = make_chain(chain_of(policy), ChainSide::kVm);
    const Request request{.vcpus = 2, .memory_mb = 3};
    ChainScratch scratch;
    std::vector<RankedHost> ranked;
    chain->weigh(hosts.view(), request, scratch, ranked);
    std::sort(ranked.begin(), ranked.end(),
              [](const RankedHost& a, const RankedHost& b) { return a.ranks_before(b); });
    std::vector<HostIndex> ties;
    for (const RankedHost& host : ranked) {
      if (host.tiers == ranked[0].tiers && host.weight == ranked[0].weight) {
        ties.push_back(host.host);
      }
    }
    const auto ranking = chain->make_ranking(hosts);
    std::vector<HostIndex> offered;
    for (const OfferedHost& host :
         make_offer(hosts.view(), *ranking, request, OfferRule::within(0)).hosts) {
      offered.push_back(host.host);
    }
    CHECK(offered == ties);
  }
}

std::vector<Settings> with_other_offers(const Settings& settings) {
  std::vector<Settings> all;
  for (const double epsilon : {0.0, 0.05, 0.3183, 1.0}) {
    all.push_back(settings);
    all.back().epsilon = epsilon;
  }
  for (const reference::AdaptiveOffer& adaptive :
       {reference::AdaptiveOffer{4, 1, 0.3, 0.9}, reference::AdaptiveOffer{1, 6, 0.2, 0.7}}) {
    all.push_back(settings);
    all.back().adaptive = adaptive;
  }
  return all;
}

TEST_CASE("offer rules: runs agree with the slow reference simulator") {
  Random random(17);
  for (std::uint64_t seed = 700; seed < 780; ++seed) {
    const std::vector<ResourceVector> shapes{{10, 10, 0}, {8, 16, 0}, {16, 7, 0}, {12, 10, 20}};
    const ResourceVector host = shapes[random.below(shapes.size())];
    const std::size_t hosts = 2 + random.below(8);
    Workload workload = random_workload(
        {.seed = seed, .requests = 60 + random.below(120), .host = host, .hosts = hosts});
    if (seed % 2 == 0) workload = hurried(workload);
    const std::vector<Settings> grid = reference::settings_grid(host, hosts);
    const std::vector<Settings> settings = with_other_offers(grid[random.below(grid.size())]);
    for (const Settings& setting : settings) check_against_reference(workload, setting);
  }
}

std::vector<reference::Event> events_of(const EventSchedule& schedule,
                                        const RunSettings& settings) {
  SimulationEngine engine(schedule, make_hosts(settings), make_allocator(settings));
  EventRecorder recorder;
  engine.set_observer(&recorder);
  engine.run();
  return recorder.events;
}

TEST_CASE("adaptive: a flat schedule is the fixed OTN, event for event") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const RandomWorkloadOptions options{
        .seed = seed, .requests = 150, .host = {10, 12, 0}, .hosts = 5};
    const Workload workload = random_workload(options);
    const EventSchedule schedule = make_schedule(workload);
    for (const std::size_t otn : {1U, 2U, 4U}) {
      RunSettings settings =
          run_settings_of({options.host, options.hosts, "COS", "sDPD", "LPO", seed % 2 == 0, otn});
      const auto fixed = events_of(schedule, settings);
      settings.otn = OfferRule::adaptive({.at_low_load = otn, .at_high_load = otn});
      CHECK((events_of(schedule, settings) == fixed));
    }
  }
}

TEST_CASE("simulate_group: runs with any offer rule share without changing a result") {
  const std::vector<EvictorSpec> evictors{evictor_of("FIFO"), evictor_of("LPO")};
  const std::vector<OfferRule> rules{
      1,
      3,
      OfferRule::adaptive({.at_low_load = 1, .at_high_load = 5, .from = 0.2, .to = 0.8}),
      OfferRule::adaptive({.at_low_load = 6, .at_high_load = 1, .from = 0.4, .to = 0.9}),
      OfferRule::within(0),
      OfferRule::within(0.2),
      OfferRule::within(1)};
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    const RandomWorkloadOptions options{
        .seed = seed, .requests = 150, .host = {10, 12, 0}, .hosts = 5};
    const EventSchedule schedule = make_schedule(hurried(random_workload(options)));
    const char* const policies[] = {"COS", "UTIL", "DPD", "SpotHour", "FewestSpots"};
    const ChainSpec vm = chain_of(policies[seed % 5]);
    const ChainSpec spot = chain_of("vmaDPD");
    std::vector<AllocatorSpec> allocators;
    for (const EvictorSpec& evictor : evictors) {
      for (const bool saf : {false, true}) {
        for (const OfferRule& rule : rules) {
          allocators.push_back({vm, spot, evictor, saf, rule});
        }
      }
    }
    std::map<std::size_t, RunResult> results;
    simulate_group(schedule, options.host, options.hosts, allocators,
                   [&](std::size_t index, const RunResult& result) {
                     CHECK(results.emplace(index, result).second);
                   });
    REQUIRE(results.size() == allocators.size());
    for (std::size_t i = 0; i < allocators.size(); ++i) {
      CAPTURE(allocators[i].otn.label());
      SimulationEngine alone(schedule, HostTable::uniform(options.hosts, options.host),
                             make_allocator(allocators[i]));
      alone.run();
      check_same_result(results.at(i), alone.result());
    }
  }
}

}  // namespace
}  // namespace cospot
