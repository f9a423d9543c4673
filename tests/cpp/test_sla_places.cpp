#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/random.hpp"
#include "sim_harness/data/workloads/workload_writer.hpp"
#include "tests/cpp/engine_checks.hpp"
#include "tests/cpp/error_text.hpp"
#include "tests/cpp/random_workload.hpp"
#include "tests/cpp/reference_simulator.hpp"
#include "tests/cpp/scratch_folder.hpp"
#include "tests/cpp/sla_runs.hpp"

// The study sla with requests that ask for zones and groups.

namespace cospot {
namespace {

/// Two hosts of 10 in two zones, and the columns of requests that ask for places.
constexpr const char* kZones = R"(
study: sla
workloads: w.csv
spot_workloads: same
host: [{type: a, count: 1, vcpus: 10, memory_mb: 10, zone: az1},
       {type: b, count: 1, vcpus: 10, memory_mb: 10, zone: az2}]
hosts: 2
target: none
seed: 1
spot_delay_hours: 0
)";
constexpr const char* kPlaceColumns =
    "instance_id,tenant_id,class,vcpus,memory_mb,start_s,end_s,zone,group,group_policy\n";

SlaSettings settings_in_zones(const ScratchFolder& folder, const std::vector<std::string>& more) {
  ConfigNode root = parse_yaml(kZones, "study.yaml");
  for (const std::string& assignment : more) apply_override(root, assignment);
  NoPythonPolicies none;
  return read_sla_settings(
      {.root = root, .folder = folder.path(), .window = std::nullopt, .policies = &none});
}

/// Of the revenue that spots requested.
double earned_share(const RunOutcome& one) {
  return static_cast<double>(one.run().spot_revenue) /
         static_cast<double>(one.run().spot_revenue_requested);
}

TEST_CASE("study sla: a VM evicts in its zone, though another zone is idle") {
  // The spot of 6 is in az1. A VM of 6 that is to be there takes its place after 90 of 990 s; one
  // that may be anywhere goes to az2 (SAF), and both stay.
  const ScratchFolder folder;
  const std::string rows = "s,t,spot,6,1,10,1000,az1,,\nv,t,vm,6,1,100,1000,";
  (void)folder.write("bound.csv", kPlaceColumns + rows + "az1,,\n");
  (void)folder.write("free.csv", kPlaceColumns + rows + ",,\n");
  const SlaSettings settings =
      settings_in_zones(folder, {"workloads=[bound.csv, free.csv]", "spot_workloads=same"});
  const RunOutcome bound = run_sla(settings);
  CHECK(bound.run().evictions == 1);
  CHECK(earned_share(bound) == doctest::Approx(90.0 / 990));
  const RunOutcome free = run_sla(settings, {.vms = 1});
  CHECK(free.run().evictions == 0);
  CHECK(earned_share(free) == 1);
}

TEST_CASE("study sla: a server group spans the VMs and the spots of one file, not of two") {
  // v is on the first host, s goes to the second; u finds a member on both. At 200 s a VM of 10
  // fits beside v nowhere and takes the second host: s is evicted. At 250 s there is no room for w;
  // when that VM has ended, x finds a host without a member there.
  const ScratchFolder folder;
  (void)folder.write("both.csv", std::string(kPlaceColumns) +
                                     "v,t,vm,1,1,0,1000,,g,anti-affinity\n"
                                     "s,t,spot,1,1,10,1000,,g,anti-affinity\n"
                                     "u,t,spot,1,1,20,1000,,g,anti-affinity\n"
                                     "big,t,vm,10,1,200,300,,,\n"
                                     "w,t,spot,1,1,250,1000,,g,anti-affinity\n"
                                     "x,t,spot,1,1,300,1000,,g,anti-affinity\n");
  (void)folder.write("spots.csv", std::string(kPlaceColumns) +
                                      "s,t,spot,1,1,10,1000,,g,anti-affinity\n"
                                      "u,t,spot,1,1,20,1000,,g,anti-affinity\n");
  const SlaSettings settings = settings_in_zones(
      folder, {"workloads=both.csv", "spot_workloads=[same, both.csv, spots.csv]"});
  const RunOutcome same = run_sla(settings);
  CHECK(same.run().spot_admitted == 2);  // s and x; u finds members everywhere, w no room
  CHECK(same.run().evictions == 1);      // s
  CHECK(run_sla(settings, {.spots = 1}).run().spot_admitted == 2);  // the same file by its name
  // A group of the same id in another file is another one: s and u are apart from each other alone.
  CHECK(run_sla(settings, {.spots = 2}).run().spot_admitted == 2);
  CHECK(run_sla(settings, {.spots = 2}).run().spot_requests == 2);
}

TEST_CASE("study sla: a file without spots is two workloads, and so are its groups") {
  // Each VM is a spot too. The two VMs are apart from each other, and so are the two spots.
  const ScratchFolder folder;
  (void)folder.write("vms.csv", std::string(kPlaceColumns) +
                                    "v,t,vm,1,1,0,1000,,g,anti-affinity\n"
                                    "w,t,vm,1,1,10,1000,,g,anti-affinity\n");
  const SlaSettings settings =
      settings_in_zones(folder, {"workloads=vms.csv", "spot_workloads=same"});
  const RunOutcome result = run_sla(settings);
  CHECK(result.run().vm_rejected == 0);
  CHECK(result.run().spot_admitted == 2);
}

TEST_CASE("study sla: what no host can give is refused before anything runs") {
  const ScratchFolder folder;
  const auto error = [&](const std::string& rows, std::vector<std::string> more = {}) {
    (void)folder.write("w.csv", kPlaceColumns + rows);
    more.insert(more.end(), {"workloads=w.csv", "spot_workloads=same"});
    const SlaSettings settings = settings_in_zones(folder, more);
    return error_text<ConfigError>(
        [&] { (void)load_traces(settings, WorkloadClasses::kVmsAndSpots); });
  };
  CHECK(error("v,t,vm,1,1,0,9,az1,,\n").empty());
  CHECK(error("v,t,vm,1,1,0,9,az3,,\n") ==
        "workload 'w.csv': request 'v' asks for the zone 'az3'; zones of the hosts: az1, az2");
  CHECK(contains(error("v,t,vm,1,1,0,9,az1,,\n", {"host={vcpus: 4}"}), "the hosts have no zones"));
  const std::string apart = "v,t,vm,1,1,0,9,,g,anti-affinity\ns,t,spot,1,1,0,9,,g,anti-affinity\n";
  CHECK(error(apart).empty());
  CHECK(contains(error(apart, {"hosts=[2, 1]"}), "up to 2 members at a time, more than 1 hosts"));
  CHECK(contains(error("v,t,vm,6,1,0,9,,g,affinity\ns,t,spot,6,1,0,9,,g,affinity\n"),
                 "the group 'g' with affinity asks for up to 12 vcpus"));
  CHECK(contains(
      error("v,t,vm,1,1,0,9,,,\n", {"host=[{type: a, count: 1, vcpus: 4, memory_mb: 4, metadata: "
                                    "{filter_tenant_id: other}}]"}),
      "expected a host that has all of it and is not kept for other tenants"));
}

/// A study of one file; the file is not what matters.
SlaSettings settings_like(const reference::Settings& cloud, const ScratchFolder& folder) {
  SlaSettings settings = settings_in_zones(
      folder, {"workloads=w.csv", "spot_workloads=same", "spot_end=shift", "evictor=FIFO",
               "otn=" + std::to_string(cloud.otn), "hosts=" + std::to_string(cloud.hosts)});
  settings.host = run_settings_of(cloud).host;
  return settings;
}

/// A random cloud of two zones, and a workload whose VMs come first, as the study merges them.
Workload random_constrained(std::uint64_t seed, reference::Settings& cloud) {
  Random random(seed);
  for (std::size_t host = 0; host < cloud.hosts; ++host) {
    cloud.each.push_back({.total = {8, 8, 0}, .zone = random.below(2) == 0 ? "a" : "b"});
    if (random.below(5) == 0) cloud.each.back().metadata["filter_tenant_id"] = {"t1"};
  }
  cloud.each.front().zone = "a";
  cloud.each.back().zone = "b";
  Workload workload = random_workload({.seed = seed, .host = {8, 8, 0}, .hosts = cloud.hosts});
  std::stable_partition(workload.rows.begin(), workload.rows.end(),
                        [](const WorkloadRow& row) { return !row.is_spot(); });
  workload.placements.groups = {{.id = "near", .policy = GroupPolicy::kAffinity},
                                {.id = "apart", .policy = GroupPolicy::kAntiAffinity}};
  for (std::uint32_t group : {RowPlacement::kNoGroup, 0U, 1U}) {
    for (const char* zone : {"a", "b", ""}) {
      workload.placements.asked.push_back({.rules = {.zone = zone}, .group = group});
    }
  }
  for (WorkloadRow& row : workload.rows) {
    if (random.below(2) == 0) row.placement = static_cast<std::uint32_t>(1 + random.below(9)) & 15U;
  }
  return workload;
}

TEST_CASE("study sla: agrees with the slow simulator on random clouds with constraints") {
  std::uint64_t evictions = 0, rejected = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    reference::Settings cloud{.hosts = 3 + seed % 4,
                              .vm = "FirstFit",
                              .spot = "FirstFit",
                              .saf = true,
                              .otn = 1 + seed % 3};
    const Workload workload = random_constrained(seed, cloud);
    const ScratchFolder folder;
    write_workload(workload, folder / "w.csv", WorkloadSchema::kCospot);
    const SlaSettings settings = settings_like(cloud, folder);
    const RunOutcome result = run_sla(settings);
    const RunResult expected = reference::simulate(workload, cloud).result;
    CHECK(result.run().vm_rejected == expected.vm_rejected);
    CHECK(result.run().spot_admitted == expected.spot_admitted);
    CHECK(result.run().evictions == expected.evictions);
    CHECK(static_cast<double>(result.run().spot_revenue) ==
          doctest::Approx(static_cast<double>(expected.spot_revenue)));
    evictions += expected.evictions;
    rejected += expected.vm_rejected;
  }
  CHECK(evictions > 100);
  CHECK(rejected > 100);
}

}  // namespace
}  // namespace cospot
