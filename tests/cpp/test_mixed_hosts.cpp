#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/random.hpp"
#include "sim_harness/data/hosts/host_mix.hpp"
#include "sim_harness/data/hosts/hosts_file.hpp"
#include "sim_harness/provider/loop/simulation_engine.hpp"
#include "sim_harness/provider/run/allocator.hpp"
#include "sim_harness/provider/sizing/datacenter_size.hpp"
#include "tests/cpp/engine_checks.hpp"
#include "tests/cpp/error_text.hpp"
#include "tests/cpp/random_cloud.hpp"
#include "tests/cpp/random_workload.hpp"
#include "tests/cpp/settings_grid.hpp"

namespace cospot {
namespace {

using reference::Settings;
using Kinds = std::vector<std::uint32_t>;

HostMix three_to_one() {
  return {{{.type = "new", .count = 3, .total = {8, 8, 0}},
           {.type = "old", .count = 1, .total = {4, 16, 0}}},
          HostPlaces(1)};
}

Settings random_mixed_settings(Random& random, std::vector<reference::HostSettings> cloud) {
  const std::vector<Settings> grid = reference::settings_grid({}, cloud.size());
  Settings settings = grid[random.below(grid.size())];
  const char* const measures[] = {"", ":used", ":fraction"};
  for (std::string* policy : {&settings.vm, &settings.spot}) {
    if (policy->ends_with("UTIL")) *policy += measures[random.below(3)];
  }
  if (random.below(6) == 0) settings.epsilon = 0.2;
  if (random.below(6) == 0) settings.adaptive = reference::AdaptiveOffer{4, 1, 0.2, 0.8};
  settings.each = std::move(cloud);
  return settings;
}

}  // namespace

TEST_CASE("HostMix: adds hosts in proportion, and has the counts at as many as were named") {
  // Sainte-Lague, (2a + 1) / count: 1/3, then 3/3 against 1/1 (the first wins a tie), then 5/3
  // against 1/1, then 5/3 against 3/1.
  CHECK(three_to_one().kinds_of(4) == Kinds{0, 0, 1, 0});
  CHECK(three_to_one().kinds_of(8) == Kinds{0, 0, 1, 0, 0, 0, 1, 0});
  const HostTable hosts = three_to_one().table(4);
  CHECK(hosts.name(0) == "new-0");
  CHECK(hosts.name(2) == "old-0");
  CHECK(hosts.name(3) == "new-2");
  CHECK(hosts.view()[2].total() == ResourceVector{4, 16, 0});
  CHECK(three_to_one().sum(4) == HostMix::Sum{28, 40, 0});
  CHECK(types_text(three_to_one(), 8) == "new 6, old 2");
}

TEST_CASE("HostMix: with another number of a type, the other hosts stay as they are") {
  const HostPlaces places{{.zone = "a"}, {.zone = "b"}};
  const HostMix mix{{{.type = "new", .count = 2, .total = {8, 8, 0}, .place = 0},
                     {.type = "old", .count = 1, .total = {4, 16, 0}, .place = 1},
                     {.type = "new", .count = 1, .total = {8, 8, 0}, .place = 1}},
                    places};
  // 1/2, then 1/1 against 3/2, then 1/1 against 3/2, then 3/2.
  REQUIRE(mix.kinds_of(4) == Kinds{0, 1, 2, 0});
  const HostMix without = mix.with_count(4, "new", 0);
  CHECK(without.declared() == 1);
  CHECK(without.sum(1) == HostMix::Sum{4, 16, 0});
  CHECK(without.places() == HostPlaces{{.zone = "b"}});  // nobody else was in a
  CHECK_FALSE(without.fits_an_empty_host({8, 8, 0}));
  // Its last one goes.
  CHECK(mix.with_count(4, "new", 2).kinds_of(3) == Kinds{0, 1, 2});
  // Two more come last, in proportion: 1/2 and then 1/1 against 3/2.
  CHECK(mix.with_count(4, "new", 5).kinds_of(6) == Kinds{0, 1, 2, 0, 0, 2});
  CHECK(types_text(mix.with_count(4, "new", 5), 6) == "new 5, old 1");
}

TEST_CASE("HostMix: with an added type the counts come first") {
  HostMix mix = three_to_one();
  mix.add_only("old");
  CHECK(mix.least_hosts() == 4);
  CHECK(mix.kinds_of(6) == Kinds{0, 0, 1, 0, 1, 1});
  CHECK_THROWS_AS((void)mix.kinds_of(3), ConfigError);
  CHECK_THROWS_AS(mix.add_only("newest"), ConfigError);
  CHECK_THROWS_AS(HostMix(4, 4).add_only("new"), ConfigError);
}

TEST_CASE("HostMix: the fewest hosts with an amount are those that counting up finds") {
  // new, new, old, new: 8, 16, 20, 28 vcpus, and again from 28 on.
  CHECK(three_to_one().fewest_with({.vcpus = 17}) == 3);
  CHECK(three_to_one().fewest_with({.vcpus = 2'800'000'001}) == 400'000'001);
  CHECK(three_to_one().fewest_with({.disk_gb = 1}) == std::nullopt);
  CHECK(HostMix(10, 4).fewest_with({.vcpus = 21, .memory_mb = 4}) == 3);
  CHECK(HostMix(10, 4).fewest_with({}) == 0);
  Random random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<HostKind> kinds;
    for (const char* type : {"a", "b", "c"}) {
      kinds.push_back({.type = type,
                       .count = 1 + random.below(6),
                       .total = {static_cast<ResourceAmount>(1 + random.below(9)),
                                 static_cast<ResourceAmount>(1 + random.below(9)), 0}});
    }
    HostMix mix(kinds, HostPlaces(1));
    if (random.below(3) == 0) mix.add_only("b");
    const HostMix::Sum needed{.vcpus = static_cast<std::int64_t>(1 + random.below(300)),
                              .memory_mb = static_cast<std::int64_t>(random.below(300))};
    std::size_t hosts = mix.least_hosts();
    while (mix.sum(hosts).vcpus < needed.vcpus || mix.sum(hosts).memory_mb < needed.memory_mb) {
      ++hosts;
    }
    CHECK(mix.fewest_with(needed) == hosts);
  }
}

TEST_CASE("HostMix: hosts of a file keep its order") {
  const HostMix mix = parse_hosts(
      "name,type,vcpus,memory_mb,zone,aggregates,metadata,status\n"
      "c1,old,4,16,az1,slow,,up\n"
      "c2,new,8,8,az2,ssd;fast,disk=ssd;disk=nvme,\n"
      "c3,new,8,8,az2,ssd;fast,disk=ssd;disk=nvme,up\n"
      "c4,new,8,8,az2,,,down\n"
      "c5,new,8,8,az2,ssd;fast,disk=ssd;disk=nvme,up\n",
      "hosts.csv");
  CHECK(mix.declared() == 4);  // c4 is down
  CHECK(mix.kinds_of(4) == Kinds{0, 1, 1, 1});
  // In turn new (1/3), old (1/1 against 3/3: the first kind wins a tie), new: c1, c2 and c3.
  CHECK(mix.kinds_of(3) == Kinds{0, 1, 1});
  CHECK(mix.kinds_of(5) == Kinds{0, 1, 1, 1, 1});
  const HostTable hosts = mix.table(5);
  CHECK(hosts.name(1) == "c2");
  CHECK(hosts.name(4) == "new+0");
  CHECK(hosts.view()[1].place().zone == "az2");
  CHECK(hosts.view()[1].place().metadata.at("disk") == std::set<std::string>{"nvme", "ssd"});
  CHECK(hosts.view()[0].place().aggregates == std::vector<std::string>{"slow"});
}

TEST_CASE("parse_hosts: a byte order mark and quotation marks are not part of a name") {
  CHECK(parse_hosts("\"name\",vcpus,memory_mb\n\"a\",8,8\n", "h.csv").table(1).name(0) == "a");
  CHECK(parse_hosts("\xef\xbb\xbfname,vcpus,memory_mb\nc1,8,8\n", "h.csv").declared() == 1);
}

TEST_CASE("parse_hosts: says what is wrong, and where") {
  const auto fault = [](const std::string& text) {
    return error_text<WorkloadError>([&] { (void)parse_hosts(text, "h.csv"); });
  };
  CHECK(fault("\n") ==
        "h.csv:1: the file is empty, expected a header line with name,vcpus,memory_mb, and hosts");
  CHECK(fault("name,vcpus\n").starts_with("h.csv:1: the column 'memory_mb' is missing"));
  CHECK(fault("name,cores\n").starts_with("h.csv:1: unknown column 'cores'"));
  CHECK(fault("name,vcpus,memory_mb\na,-1,4\n") ==
        "h.csv:2: vcpus is '-1', expected a whole number from 1 to 67108864");
  CHECK(fault("name,vcpus,memory_mb\na,1,4\na,1,4\n") ==
        "h.csv:3: the host 'a' is on line 2 too, expected unique names");
  CHECK(fault("name,vcpus,memory_mb,status\na,1,4,gone\n") ==
        "h.csv:2: status is 'gone', expected up, down, disabled");
  CHECK(fault("name,vcpus,memory_mb,metadata\na,1,4,ssd\n") ==
        "h.csv:2: metadata is 'ssd', expected key=value, several joined by ';'");
  CHECK(fault("name,vcpus,memory_mb,status\na,1,4,down\n") ==
        "h.csv: the file has no host that is up, expected at least one");
  CHECK(fault("name,vcpus,memory_mb\n\"a,b\",1,4\n") ==
        "h.csv:2: name is 'a,b', expected a name without commas and quotation marks");
}

TEST_CASE("SimulationEngine: agrees with the reference on random clouds of several host types") {
  Random random(14);
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const std::size_t hosts = 2 + random.below(7);
    const Workload workload = random_workload(
        {.seed = seed, .requests = 60 + random.below(100), .host = {12, 12, 0}, .hosts = hosts});
    std::vector<reference::HostSettings> cloud = random_cloud(random, hosts);
    for (reference::HostSettings& host : cloud) host = {.total = host.total};
    check_against_reference(workload, random_mixed_settings(random, std::move(cloud)));
  }
}

TEST_CASE("SimulationEngine: agrees with the reference on zones, metadata, tenants and groups") {
  Random random(15);
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const std::size_t hosts = 2 + random.below(7);
    Workload workload = random_workload(
        {.seed = seed, .requests = 60 + random.below(100), .host = {12, 12, 0}, .hosts = hosts});
    ask_for_places(random, workload);
    check_against_reference(workload, random_mixed_settings(random, random_cloud(random, hosts)));
  }
}

TEST_CASE("smallest_datacenter: of several host types is the first size that rejects no VM") {
  std::size_t above_the_bound = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Workload workload =
        random_workload({.seed = seed, .requests = 200, .host = {10, 10, 0}, .hosts = 9});
    HostMix mix{{{.type = "a", .count = 5, .total = {10, 10, 0}},
                 {.type = "b", .count = 2, .total = {6, 14, 0}},
                 {.type = "c", .count = 1, .total = {20, 12, 0}}},
                HostPlaces(1)};
    if (seed % 3 == 1) mix.add_only("a");
    std::erase_if(workload.rows, [](const WorkloadRow& row) {
      return !row.resources.fits_in({10, 10, 0});
    });
    const EventSchedule vms = make_schedule(workload, ScheduledClasses::kVmsOnly);
    for (const char* policy : {"UTIL", "COS", "DPD", "FirstFit", "RAMWeigher"}) {
      CAPTURE(seed);
      CAPTURE(policy);
      const DatacenterSize found = smallest_datacenter(workload, vms, mix, chain_of(policy));
      std::size_t hosts = found.lower_bound;
      const auto rejects = [&](std::size_t count) {
        SimulationEngine engine(vms, mix.table(count),
                                {.vm = make_chain(chain_of(policy), ChainSide::kVm),
                                 .spot = make_chain(chain_of("FirstFit"), ChainSide::kSpot),
                                 .evictor = make_evictor(evictor_of("FIFO"))});
        engine.run();
        return engine.result().vm_rejected > 0;
      };
      while (rejects(hosts)) ++hosts;
      CHECK(found.hosts == hosts);
      if (hosts > found.lower_bound) ++above_the_bound;
    }
  }
  CHECK(above_the_bound > 20);
}

TEST_CASE("smallest_datacenter: no number of hosts will do for two that must share a small one") {
  Workload workload;
  workload.placements.groups = {{.id = "near", .policy = GroupPolicy::kAffinity}};
  workload.placements.asked = {{.rules = {}, .group = 0}};
  for (const char* id : {"one", "two"}) {
    workload.rows.push_back({.id = id,
                             .tenant = "t",
                             .resources = {3, 3, 0},
                             .placement = 1,
                             .start = SimTime(0),
                             .end = kDay});
  }
  const EventSchedule vms = make_schedule(workload, ScheduledClasses::kVmsOnly);
  const std::string text = error_text<ConfigError>(
      [&] { (void)smallest_datacenter(workload, vms, HostMix(4, 4), chain_of("UTIL")); });
  CHECK(text.find("VM 'two' finds none under UTIL") != std::string::npos);
}

}  // namespace cospot
