#include "sim_harness/engine/datacenter_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"
#include "sim_harness/engine/simulation_engine.hpp"
#include "sim_harness/workloads/workload_info.hpp"

namespace cospot {
namespace {

bool rejects_none(const EventSchedule& vms, const ResourceVector& host, std::size_t hosts,
                  const Allocator& allocator) {
  SimulationEngine engine(vms, HostTable::uniform(hosts, host), allocator);
  return engine.run({.rejection = true}) == RunPause::kFinished;
}

}  // namespace

void require_every_vm_fits(const Workload& workload, const ResourceVector& host,
                           std::string_view remedy) {
  for (const WorkloadRow& row : workload.rows) {
    const ResourceVector& size = row.resources;
    if (row.is_spot() || size.fits_in(host)) continue;
    if (!starts_in_time(row, workload.window)) continue;
    throw ConfigError(fmt::format(
        "workload '{}': VM '{}' asks for {} vcpus, {} memory_mb and {} disk_gb, more than a host "
        "has ({}, {}, {}), so no datacenter holds all VMs; {}",
        workload.name, row.id, size.vcpus, size.memory_mb, size.disk_gb, host.vcpus, host.memory_mb,
        host.disk_gb, remedy));
  }
}

DatacenterSize smallest_datacenter(const Workload& workload, const EventSchedule& vms,
                                   const ResourceVector& host, const ChainSpec& vm) {
  require_every_vm_fits(workload, host);
  // Without spots neither the spot chain nor the evictor is ever asked.
  const ChainSpec first_fit{.label = "FirstFit", .weighers = {{.name = "FirstFit"}}};
  const Allocator allocator{.vm = make_chain(vm, ChainSide::kVm),
                            .spot = make_chain(first_fit, ChainSide::kSpot),
                            .evictor = make_evictor({.label = "FIFO", .name = "FIFO"})};
  const HostBound bound = least_hosts(workload, peak_demand(workload, Sees::kVms), host);
  DatacenterSize size;
  size.lower_bound = static_cast<std::size_t>(std::max<std::int64_t>(1, bound.least_hosts));
  size.hosts = size.lower_bound;
  while (!rejects_none(vms, host, size.hosts, allocator)) ++size.hosts;
  return size;
}

std::size_t with_headroom(std::size_t hosts, double percent) {
  return hosts +
         static_cast<std::size_t>(std::llround(static_cast<double>(hosts) * percent / 100.0));
}

}  // namespace cospot
