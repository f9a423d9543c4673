#include <doctest/doctest.h>

#include <array>

#include "core/model/spot_lists.hpp"
#include "core/ranking/chain.hpp"
#include "tests/cpp/engine_checks.hpp"
#include "tests/cpp/random_workload.hpp"
#include "tests/cpp/settings_grid.hpp"
#include "tests/cpp/worked_scenarios.hpp"
#include "weighers/fewest_spots_weigher.hpp"
#include "weighers/spot_hour_weigher.hpp"

namespace cospot {
namespace {

using std::chrono::minutes;

constexpr std::array<HostIndex, 3> kAll{0, 1, 2};

std::array<double, 3> weigh(const Weigher& weigher, const HostTable& hosts, SimTime now) {
  std::array<double, 3> weights{};
  weigher.weigh_all(hosts.view(), kAll, {.vcpus = 1, .memory_mb = 1, .time = now}, weights);
  return weights;
}

void place(HostTable& hosts, SpotLists& spots, HostIndex host, InstanceIndex spot, SimTime time) {
  hosts.add_spot(host, {1, 1, 0});
  spots.add({.instance = spot, .resources = {1, 1, 0}, .placed_at = time}, host);
}

TEST_CASE("FewestSpots: minus the number of spots, worked by hand") {
  HostTable hosts = HostTable::uniform(3, {10, 10, 0});
  hosts.add_spot(0, {1, 1, 0});
  hosts.add_spot(0, {5, 1, 0});
  hosts.add_spot(2, {9, 9, 0});
  hosts.add_vm(1, {9, 9, 0});  // VMs do not count
  const FewestSpotsWeigher weigher{PluginOptions("FewestSpots")};
  CHECK(weigh(weigher, hosts, SimTime{0}) == std::array<double, 3>{-2, 0, -1});
}

TEST_CASE("SpotHour: minus the run times modulo one hour, worked by hand") {
  // At 10:10: h0 holds spots of 10:00 (10 min) and 08:50 (80 min = 1 h + 20 min): 30 min.
  // h1 holds one of 09:10 (exactly 1 h: 0) and one of now (0). h2 holds one of 09:10:00.000001,
  // 1 us short of an hour: 60 min - 1 us.
  HostTable hosts = HostTable::uniform(3, {10, 10, 0});
  SpotLists spots(3);
  const SimTime now = minutes(610);
  place(hosts, spots, 0, 0, minutes(600));
  place(hosts, spots, 0, 1, minutes(530));
  place(hosts, spots, 1, 2, minutes(550));
  place(hosts, spots, 1, 3, now);
  place(hosts, spots, 2, 4, SimTime(minutes(550)) + SimTime{1});
  const SpotHourWeigher weigher{PluginOptions("SpotHour")};
  // A table that was not lent the spots knows nothing.
  CHECK(weigh(weigher, hosts, now) == std::array<double, 3>{0, 0, 0});
  hosts.lend_spots(spots);
  CHECK(weigh(weigher, hosts, now) == std::array<double, 3>{-1800e6, 0, -(3600e6 - 1)});
  // Half an hour later: 40 + 50, 30 + 30, and 30 min - 1 us.
  CHECK(weigh(weigher, hosts, now + minutes(30)) ==
        std::array<double, 3>{-5400e6, -3600e6, -(1800e6 - 1)});
  // What was lent to a table is not lent to its copy.
  const HostTable copy = hosts;
  CHECK(weigh(weigher, copy, now) == std::array<double, 3>{0, 0, 0});
  // A spot that goes no longer counts.
  (void)spots.remove(1, 0);
  CHECK(weigh(weigher, hosts, now)[0] == -600e6);
}

TEST_CASE("SpotHour: a spot placed before the window counts as well") {
  HostTable hosts = HostTable::uniform(3, {10, 10, 0});
  SpotLists spots(3);
  place(hosts, spots, 1, 0, -SimTime(minutes(90)));
  hosts.lend_spots(spots);
  // From -01:30 to -00:15: 75 min, so 15.
  CHECK(weigh(SpotHourWeigher{PluginOptions("SpotHour")}, hosts, -SimTime(minutes(15)))[1] ==
        -900e6);
}

TEST_CASE("VM policies of prior work: a VM goes where they say, worked by hand") {
  // Hosts of (10, 10). Spots: r0 (6,6) of 00:00 on h0; r1 (6,6) of 00:20 on h1 (12 > 10). The VM
  // r2 (6,6) of 01:10 must evict on either. FewestSpots: one each, so h0. SpotHour: h0 has run 70
  // min, so 10, and h1 50: h0. For r3 (4,4) of 01:25 h0 holds no spot any more, h1 one of 65 min.
  using worked::spot;
  using worked::vm;
  const Workload workload =
      worked::workload_of({spot({6, 6}, minutes(0)), spot({6, 6}, minutes(20)),
                           vm({6, 6}, minutes(70)), vm({4, 4}, minutes(85))});
  for (const char* policy : {"FewestSpots", "SpotHour"}) {
    CAPTURE(policy);
    const reference::Outcome outcome = reference::simulate(
        workload, {.host = {10, 10}, .hosts = 2, .vm = policy, .spot = "sUTIL"});
    CHECK(outcome.placements == std::vector<HostIndex>{0, 1, 0, 0});
    check_against_reference(workload,
                            {.host = {10, 10}, .hosts = 2, .vm = policy, .spot = "sUTIL"});
  }
  // With r0 at 00:15 h0 has run 55 min, so that h1 (50) is better for SpotHour.
  Workload later = workload;
  later.rows[0].start = minutes(15);
  const auto host_of_vm = [&](const char* policy) {
    return reference::simulate(later, {.host = {10, 10}, .hosts = 2, .vm = policy}).placements[2];
  };
  CHECK(host_of_vm("SpotHour") == 1);
  CHECK(host_of_vm("FewestSpots") == 0);
}

TEST_CASE("VM policies of prior work: runs agree with the slow reference simulator") {
  for (std::uint64_t seed = 900; seed < 930; ++seed) {
    const RandomWorkloadOptions options{
        .seed = seed, .requests = 160, .host = {10, 12, 0}, .hosts = 5};
    const Workload workload = hurried(random_workload(options));
    for (const char* policy : {"FewestSpots", "SpotHour"}) {
      for (const std::size_t otn : {1U, 3U}) {
        const reference::Settings settings{
            options.host, options.hosts, policy, seed % 2 == 0 ? "sCOS" : "vmaUTIL",
            "LPO",        seed % 3 == 0, otn};
        check_against_reference(workload, settings);
      }
    }
  }
}

}  // namespace
}  // namespace cospot
