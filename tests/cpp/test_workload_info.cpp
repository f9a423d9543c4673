#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include "core/errors.hpp"
#include "core/model/revenue.hpp"
#include "core/random.hpp"
#include "sim_harness/data/workloads/csv_workload.hpp"
#include "sim_harness/data/workloads/workload_info.hpp"
#include "sim_harness/data/workloads/workload_info_text.hpp"

namespace cospot {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

WorkloadRow row(std::string id, ResourceVector resources, SimTime start, SimTime end,
                InstanceClass instance_class = InstanceClass::kVm) {
  return {.id = std::move(id),
          .tenant = "t",
          .resources = resources,
          .instance_class = instance_class,
          .start = start,
          .end = end};
}

TEST_CASE("peak_demand: worked by hand") {
  const auto spot = InstanceClass::kSpot;
  // File order is not time order. VMs: [-10, never) 2 vcpus 10 MiB; [0, 5) 3 vcpus 1 MiB;
  // [5, 9) 4 vcpus 2 MiB. At 5 the second leaves before the third comes: 2 + 4 = 6 vcpus, not 9;
  // memory is 10 + 2 = 12 at 5. Before that 2 + 3 = 5 vcpus, 11 MiB, at 0.
  // The spot [5, 5] of 1 vcpu, 9 GB lives for no time, yet counts: 7 vcpus and 9 GB at 5.
  const Workload workload{.rows = {row("c", {4, 2, 0}, seconds(5), seconds(9)),
                                   row("a", {2, 10, 0}, seconds(-10), kNever),
                                   row("z", {1, 0, 9}, seconds(5), seconds(5), spot),
                                   row("b", {3, 1, 0}, seconds(0), seconds(5)),
                                   row("d", {1, 0, 0}, seconds(20), seconds(30))}};
  const PeakDemand vms = peak_demand(workload, Sees::kVms);
  CHECK(vms.amount == ResourceTotal{6, 12, 0});
  CHECK(vms.vcpus_at == seconds(5));
  CHECK(vms.memory_at == seconds(5));
  const PeakDemand all = peak_demand(workload, Sees::kVmsAndSpots);
  CHECK(all.amount == ResourceTotal{7, 12, 9});
  CHECK(all.disk_at == seconds(5));
  CHECK(peak_demand({}, Sees::kVms).amount == ResourceTotal{});
}

TEST_CASE("peak_demand: does not overflow 32 bits") {
  // 100 times 2^26 is 6,710,886,400.
  Workload workload;
  for (int i = 0; i < 100; ++i) {
    workload.rows.push_back(row("x", {1 << 26, 1 << 26, 1 << 26}, seconds(0), kNever));
  }
  CHECK(peak_demand(workload, Sees::kVms).amount ==
        ResourceTotal{6'710'886'400, 6'710'886'400, 6'710'886'400});
}

TEST_CASE("peak_demand: equals a count over all pairs") {
  Random random(21);
  for (int round = 0; round < 50; ++round) {
    Workload workload;
    for (int i = 0; i < 60; ++i) {
      const SimTime start(static_cast<std::int64_t>(random.below(20)));
      const SimTime end = random.below(9) == 0
                              ? kNever
                              : start + SimTime(static_cast<std::int64_t>(random.below(6)));
      workload.rows.push_back(row("x", {1 + static_cast<int>(random.below(9)), 0, 0}, start, end));
    }
    // When row i comes, row j is there if it came before (by time, then file order) and its end
    // is later.
    std::int64_t expected = 0;
    for (std::size_t i = 0; i < workload.rows.size(); ++i) {
      const WorkloadRow& arrival = workload.rows[i];
      std::int64_t together = arrival.resources.vcpus;
      for (std::size_t j = 0; j < workload.rows.size(); ++j) {
        const WorkloadRow& other = workload.rows[j];
        const bool before = std::pair(other.start, j) < std::pair(arrival.start, i);
        if (before && other.end > arrival.start) together += other.resources.vcpus;
      }
      expected = std::max(expected, together);
    }
    CHECK(peak_demand(workload, Sees::kVms).amount.vcpus == expected);
  }
}

TEST_CASE("least_hosts: the resource that needs the most hosts binds") {
  const Workload workload{.name = "w.csv",
                          .rows = {row("a", {10, 30, 0}, seconds(0), kNever),
                                   row("b", {11, 1, 0}, seconds(0), kNever)}};
  const PeakDemand peak = peak_demand(workload, Sees::kVms);  // 21 vcpus, 31 MiB
  // On hosts of 10 x 10: ceil(2.1) = 3 by vcpus, ceil(3.1) = 4 by memory. Row a (30 MiB) and row b
  // (11 vcpus) fit no host.
  const HostBound bound = least_hosts(workload, peak, {10, 10, 0});
  CHECK(bound.hosts == ResourceTotal{3, 4, 0});
  CHECK(bound.least_hosts == 4);
  CHECK(bound.binding == "memory_mb");
  CHECK(bound.too_large == 2);
  // On 21 x 31 each resource needs exactly one host, equally full: the first is named.
  CHECK(least_hosts(workload, peak, {21, 31, 0}).binding == "vcpus");
  CHECK(least_hosts(workload, peak, {21, 31, 0}).least_hosts == 1);
  // On 20 x 30 both need two: 21/20 = 1.05 against 31/30 = 1.03.
  CHECK(least_hosts(workload, peak, {20, 30, 0}).binding == "vcpus");
  CHECK(least_hosts(workload, peak, {21, 30, 0}).binding == "memory_mb");
  const Workload disk{.name = "w.csv", .rows = {row("a", {1, 1, 5}, seconds(0), kNever)}};
  CHECK_THROWS_WITH_AS(
      (void)least_hosts(disk, peak_demand(disk, Sees::kVms), {10, 10, 0}),
      "the host has 0 disk_gb, expected more than 0: the workload 'w.csv' asks for up to 5",
      ConfigError);
}

/// VMs of 21 vcpus and 31 MiB together, and a spot of 30 vcpus.
Workload demanding() {
  return {
      .name = "w.csv",
      .rows = {row("a", {10, 30, 0}, seconds(0), kNever), row("b", {11, 1, 0}, seconds(0), kNever),
               row("s", {30, 1, 0}, seconds(0), kNever, InstanceClass::kSpot)}};
}

TEST_CASE("least_hosts: of several types, in proportion to their counts") {
  // In turn new, new, old, new (see test_mixed_hosts.cpp): 8, 16, 20, 28 vcpus and 8, 16, 32, 40
  // MiB. 21 vcpus take four hosts, 31 MiB three; with the spot, 51 vcpus eight (48 after seven), 32
  // MiB three. Row a fits neither type (30 MiB), b neither (11 vcpus), the spot neither.
  const HostMix hosts({{.type = "new", .count = 3, .total = {8, 8, 0}},
                       {.type = "old", .count = 1, .total = {4, 16, 0}}},
                      HostPlaces(1));
  const WorkloadInfo info = describe_workload(demanding(), hosts);
  CHECK(info.vm_bound.hosts == ResourceTotal{4, 3, 0});
  CHECK(info.vm_bound.least_hosts == 4);
  CHECK(info.vm_bound.binding == "vcpus");
  CHECK(info.vm_bound.too_large == 3);
  CHECK(info.total_bound.hosts == ResourceTotal{8, 3, 0});
  const std::string text = workload_info_text(demanding(), info);
  for (const char* part :
       {"on hosts of types in proportion to new 3, old 1:\n",
        "  VMs: at least 4 hosts (new 3, old 1), bound by vCPUs (vCPUs 4, memory 3, disk "
        "0)\n",
        "  VMs and spots: at least 8 hosts (new 6, old 2), bound by vCPUs (vCPUs 8,",
        "  3 requests are larger than any empty host\n"}) {
    CAPTURE(text);
    CHECK(text.find(part) != std::string::npos);
  }
  const std::string json = workload_info_json(demanding(), info);
  for (const char* part :
       {R"("host": {"types": [{"type": "new", "count": 3, "zone": "", "total": {"vcpus": 8,)",
        R"("hosts": {"vcpus": 8, "memory_mb": 3, "disk_gb": 0}, "types": {"new":6,"old":2}})"}) {
    CAPTURE(json);
    CHECK(json.find(part) != std::string::npos);
  }
}

TEST_CASE("least_hosts: of several types, for nothing and for what no type has") {
  const HostMix hosts({{.type = "new", .count = 1, .total = {8, 8, 0}},
                       {.type = "old", .count = 1, .total = {4, 16, 0}}},
                      HostPlaces(1));
  const Workload spots{.rows = {row("s", {1, 1, 0}, seconds(0), kNever, InstanceClass::kSpot)}};
  const std::string text = workload_info_text(spots, describe_workload(spots, hosts));
  CHECK(text.find("VMs: at least 0 hosts (new 0, old 0), bound by vCPUs") != std::string::npos);
  const Workload disk{.name = "w.csv", .rows = {row("a", {1, 1, 5}, seconds(0), kNever)}};
  CHECK_THROWS_WITH_AS(
      (void)describe_workload(disk, hosts),
      "the hosts have 0 disk_gb, expected more than 0: the workload 'w.csv' asks for up to 5",
      ConfigError);
}

/// Ten VMs that live 1 to 8 s and, twice, never end; one spot that never ends.
Workload lifetimes_example() {
  Workload workload{.name = "w \"x\".csv", .sha256 = "00"};
  for (int i = 1; i <= 8; ++i) {
    workload.rows.push_back(row(std::to_string(i), {2, 1, 0}, seconds(-4), seconds(-4 + i)));
  }
  workload.rows.push_back(row("n1", {4, 1, 0}, hours(24 + 5), kNever));
  workload.rows.push_back(row("n2", {4, 1, 0}, hours(14 * 24), kNever));
  workload.rows.push_back(row("s", {2, 1, 0}, hours(13 * 24), kNever, InstanceClass::kSpot));
  workload.rows.back().tenant = std::string("u");
  return workload;
}

TEST_CASE("describe_workload: counts, lifetimes, revenue, flavors, hours") {
  const WorkloadInfo info = describe_workload(lifetimes_example(), ResourceVector{100, 100, 0});
  CHECK(info.requests == std::array<std::uint64_t, 2>{10, 1});
  CHECK(info.early == std::array<std::uint64_t, 2>{8, 0});
  CHECK(info.tenants == std::array<std::uint64_t, 2>{1, 1});
  CHECK(info.all_tenants == 2);
  CHECK(info.first_start == seconds(-4));
  CHECK(info.last_start == hours(14 * 24));
  // Ranks ceil(10 q): 1 % and 10 % are the 1st (1 s), 25 % the 3rd, 50 % the 5th, 75 % the 8th
  // (7.5 rounds up), 90 % the 9th and 99 % the 10th, which never ended.
  const Lifetimes& vms = info.lifetimes[0];
  CHECK(vms.never_ended == 2);
  CHECK(vms.quantiles == std::array<SimTime, 7>{seconds(1), seconds(1), seconds(3), seconds(5),
                                                seconds(8), kNever, kNever});
  CHECK(info.lifetimes[1].quantiles[0] == kNever);
  // Early VMs earn after time 0: those of 5 to 8 s run 1 + 2 + 3 + 4 = 10 s of 2 vcpus = 20. n1
  // earns 4 * (14 * 86400 - 29 * 3600) = 4 * 1,105,200 = 4,420,800; n2 nothing. The spot earns
  // 2 * 86400.
  CHECK(revenue_text(info.revenue[0]) == "4420820");
  CHECK(revenue_text(info.revenue[1]) == "172800");
  REQUIRE(info.flavors.size() == 2);
  CHECK(info.flavors[0].resources == ResourceVector{2, 1, 0});
  CHECK(info.flavors[0].vms == 8);
  CHECK(info.flavors[0].spots == 1);
  // n1 starts at 5 o'clock of day 1, the spot at 0 o'clock; n2 at the window's end, outside.
  CHECK(info.arrivals_by_hour[0][5] == 1);
  CHECK(info.arrivals_by_hour[1][0] == 1);
  CHECK(info.arrivals_by_hour[0][0] == 0);
  CHECK(info.vm_bound.least_hosts == 1);
}

TEST_CASE("workload_info_text: relative sizes are units, and large ones have separators") {
  const Workload workload{.name = "w.csv",
                          .rows = {row("a", {75'300, 7'530, 0}, seconds(0), kNever)}};
  const WorkloadInfo info = describe_workload(workload, ResourceVector{100'000, 10'000, 0});
  const std::string units = workload_info_text(workload, info, {.is_relative = true});
  CAPTURE(units);
  for (const char* part :
       {"peak of VMs: 75,300 units (0.000 d), 7,530 units of memory (0.000 d), 0 GB\n",
        "on hosts of 100,000 units, 10,000 units of memory, 0 GB:\n",
        "bound by units (units 1, memory 1, disk 0)\n",
        "     units   units of memory        GB         VMs       spots    share\n"
        "    75,300             7,530         0           1           0  100.0 %\n"}) {
    CAPTURE(part);
    CHECK(units.find(part) != std::string::npos);
  }
  CHECK(units.find("MiB") == std::string::npos);
  CHECK(units.find("vCPU") == std::string::npos);
  const std::string vcpus = workload_info_text(workload, info);
  CAPTURE(vcpus);
  CHECK(vcpus.find("on hosts of 100,000 vCPUs, 10,000 MiB, 0 GB:\n") != std::string::npos);
  // A file in thousandths: 75,300 of them are 75.3 vCPUs.
  const std::string thousandths = workload_info_text(workload, info, {.vcpus = 0.001});
  CAPTURE(thousandths);
  CHECK(thousandths.find("peak of VMs: 75.3 vCPUs (0.000 d), 7,530 MiB (0.000 d), 0 GB\n") !=
        std::string::npos);
}

TEST_CASE("workload_info_text and _json: say the same") {
  const Workload workload = lifetimes_example();
  const WorkloadInfo info = describe_workload(workload, ResourceVector{10, 100, 0});
  const std::string text = workload_info_text(workload, info);
  // The 8 early VMs hold 2 vcpus each at -4 s: 16 of them need 2 hosts of 10.
  for (const char* part :
       {"w \"x\".csv\n", "requests                          10             1            11\n",
        "VMs 51.2 vCPU-days, spots 2.0 vCPU-days",  // 4420820 / 86400 = 51.167; 172800 / 86400
        "peak of VMs: 16 vCPUs (-0.000 d), 8 MiB (-0.000 d), 0 GB\n",
        "  VMs: at least 2 hosts, bound by vCPUs (vCPUs 2, memory 1, disk 0)\n",
        "VMs            20.0 %      1.0 s"}) {
    CAPTURE(text);
    CHECK(text.find(part) != std::string::npos);
  }
  const std::string json = workload_info_json(workload, info);
  for (const char* part : {R"("name": "w \"x\".csv")", R"("revenue_requested_vcpu_s": 4420820)",
                           R"("75": 8, "90": null)", R"("least_hosts": 2, "binding": "vcpus")"}) {
    CAPTURE(json);
    CHECK(json.find(part) != std::string::npos);
  }
  CHECK(workload_info_json({}, describe_workload({})).find(R"("host": null)") != std::string::npos);
}

TEST_CASE("describe_workload: memory binds in the published workloads") {
  const char* data = std::getenv("COSPOT_DATA");
  if (data == nullptr) {
    MESSAGE("skipped: COSPOT_DATA is not set");
    return;
  }
  const Workload workload = read_workload(std::filesystem::path(data) /
                                          "azure2020-cospot/bernoulli/relevant-vm-1pcnt_0.csv.gz");
  const WorkloadInfo info = describe_workload(workload, ResourceVector{10400, 2250, 0});
  CHECK(info.vm_bound.binding == "memory_mb");  // the data set's own README says so
  CHECK(info.vm_bound.too_large == 0);          // CoSpot chose a host that holds every request
  CHECK(info.flavors[0].resources == ResourceVector{200, 28, 0});
  CHECK(info.flavors[0].vms + info.flavors[0].spots == 9086);  // counted by uniq -c
}

}  // namespace
}  // namespace cospot
