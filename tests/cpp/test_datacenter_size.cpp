#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/base/interrupt/stop_token.hpp"
#include "sim_harness/data/workloads/workload_info.hpp"
#include "sim_harness/provider/loop/simulation_engine.hpp"
#include "sim_harness/provider/run/allocator.hpp"
#include "sim_harness/provider/sizing/datacenter_size.hpp"
#include "tests/cpp/engine_checks.hpp"
#include "tests/cpp/error_text.hpp"
#include "tests/cpp/random_workload.hpp"
#include "weighers/registry.hpp"

namespace cospot {
namespace {

constexpr ResourceVector kSizedHost{10, 10, 0};

/// `count` VMs of one size that all run at once.
Workload crowd(std::size_t count, const ResourceVector& size) {
  Workload workload;
  workload.name = "crowd";
  for (std::size_t i = 0; i < count; ++i) {
    workload.rows.push_back({.id = std::to_string(i),
                             .tenant = "t",
                             .resources = size,
                             .instance_class = InstanceClass::kVm,
                             .start = SimTime(0),
                             .end = kDay});
  }
  return workload;
}

DatacenterSize size_of(const Workload& workload, const ResourceVector& host,
                       const ChainSpec& chain) {
  return smallest_datacenter(workload, make_schedule(workload, ScheduledClasses::kVmsOnly), host,
                             chain);
}

/// Whether a whole run of the engine rejects no VM.
bool rejects_none(const EventSchedule& vms, std::size_t hosts, const ChainSpec& chain) {
  SimulationEngine engine(vms, HostTable::uniform(hosts, kSizedHost),
                          {.vm = make_chain(chain, ChainSide::kVm),
                           .spot = make_chain(chain_of("FirstFit"), ChainSide::kSpot),
                           .evictor = make_evictor(evictor_of("FIFO"))});
  engine.run();
  return engine.result().vm_rejected == 0;
}

/// Requests that fit a host.
Workload fitting_workload(std::uint64_t seed) {
  Workload workload =
      random_workload({.seed = seed, .requests = 250, .host = kSizedHost, .hosts = 9});
  std::erase_if(workload.rows,
                [](const WorkloadRow& row) { return !row.resources.fits_in(kSizedHost); });
  return workload;
}

/// Every weigher alone, turned round, and beside another one (normalised weights).
std::vector<ChainSpec> all_chains() {
  std::vector<ChainSpec> chains;
  for (const auto& entry : weigher_registry()) {
    const std::string name(entry.info.name);
    const WeigherSpec weigher{.name = name};
    chains.push_back({.label = name, .weighers = {weigher}});
    chains.push_back({.label = "-" + name, .weighers = {{.name = name, .multiplier = -1}}});
    chains.push_back({.label = name + "+COS", .weighers = {weigher, {.name = "COS"}}});
  }
  return chains;
}

}  // namespace

TEST_CASE("smallest_datacenter: is the first size at which the engine rejects no VM") {
  std::size_t above_the_bound = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Workload workload = fitting_workload(seed);
    const EventSchedule vms = make_schedule(workload, ScheduledClasses::kVmsOnly);
    for (const ChainSpec& chain : all_chains()) {
      CAPTURE(seed);
      CAPTURE(chain.label);
      const DatacenterSize found = size_of(workload, kSizedHost, chain);
      std::size_t hosts = found.lower_bound;
      while (!rejects_none(vms, hosts, chain)) ++hosts;
      CHECK(found.hosts == hosts);
      if (hosts > found.lower_bound + 1) ++above_the_bound;
    }
  }
  CHECK(above_the_bound > 50);  // so that runs did go on from one another
}

TEST_CASE(
    "smallest_datacenter: counts one by one up to a lower bound of 1,999, then by thousandths") {
  // VMs of 2 vcpus, one on each host of 3: as many hosts as VMs, while the vcpus alone need 2/3.
  const ResourceVector host{3, 3, 0};
  const ResourceVector size{2, 1, 0};
  const DatacenterSize small = size_of(crowd(2998, size), host, chain_of("UTIL"));
  CHECK(small.lower_bound == 1999);  // ceil(5,996 / 3)
  CHECK(small.hosts == 2998);
  const DatacenterSize even = size_of(crowd(3000, size), host, chain_of("UTIL"));
  CHECK(even.lower_bound == 2000);  // 6,000 / 3
  CHECK(even.hosts == 3000);        // 2,000 + 500 steps of 2
  const DatacenterSize odd = size_of(crowd(3003, size), host, chain_of("UTIL"));
  CHECK(odd.lower_bound == 2002);  // 6,006 / 3
  CHECK(odd.hosts == 3004);        // 2,002 + 501 steps of 2; 3,003 would do
  const DatacenterSize large = size_of(crowd(6000, size), host, chain_of("UTIL"));
  CHECK(large.lower_bound == 4000);  // 12,000 / 3
  CHECK(large.hosts == 6000);        // 4,000 + 500 steps of 4
}

TEST_CASE("require_every_vm_fits: says so if the units seem to differ") {
  Workload workload{.name = "milli.csv", .window = kDay};
  // A thousandth of a vCPU each: 4096 MiB for 1000 of them, where a host has 4096 for each.
  workload.rows = {{.id = "a", .resources = {1000, 4096, 0}, .start = SimTime(0), .end = kNever}};
  const auto refusal = [&](const ResourceVector& host) {
    return error_text<ConfigError>([&] { require_every_vm_fits(workload, host, "buy another"); });
  };
  CHECK(refusal({64, 262'144, 0})
            .find("; buy another. All requests ask for 4.096 memory_mb per "
                  "vcpu, but a host of 64,262144 has 4096: the units seem to "
                  "differ;") != std::string::npos);
  CHECK(refusal({64, 512, 0}).ends_with("; buy another"));
}

TEST_CASE("smallest_datacenter: ends when the thread's token asks") {
  StopFlag flag;
  flag.asked = true;
  const StopScope scope{StopToken(flag)};
  CHECK_THROWS_AS((void)size_of(crowd(3, {2, 1, 0}), {3, 3, 0}, chain_of("UTIL")), Interrupted);
  CHECK(flag.noticed);
}

}  // namespace cospot
