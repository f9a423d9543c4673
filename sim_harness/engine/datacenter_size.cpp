#include "sim_harness/engine/datacenter_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"
#include "sim_harness/engine/vm_packing.hpp"
#include "sim_harness/files/terminal_meter.hpp"
#include "sim_harness/workloads/workload_info.hpp"

namespace cospot {
namespace {

/// From one size that is tried to the next. A thousandth of the lower bound: up to 1,999 hosts
/// every size is tried; a whole zone's result is at most 0.1 % of it above the first that fits.
std::size_t step_from(std::size_t lower_bound) {
  return std::max<std::size_t>(1, lower_bound / 1000);
}

}  // namespace

void require_every_vm_fits(const Workload& workload, const ResourceVector& host,
                           std::string_view remedy) {
  for (const WorkloadRow& row : workload.rows) {
    const ResourceVector& size = row.resources;
    if (row.instance_class != InstanceClass::kVm || size.fits_in(host)) continue;
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
  const HostBound bound = least_hosts(workload, peak_demand(workload, Sees::kVms), host);
  DatacenterSize size;
  size.lower_bound = static_cast<std::size_t>(std::max<std::int64_t>(1, bound.least_hosts));
  size.hosts = size.lower_bound;
  TerminalMeter meter("", MeterUnit::kEvents);
  VmPacking packing(vms, host, vm);
  for (;; size.hosts += step_from(size.lower_bound)) {
    meter.rename(fmt::format("sizing {} for {}, {} hosts", workload.name, vm.label, size.hosts));
    if (packing.fits(size.hosts, meter)) return size;
  }
}

std::size_t with_headroom(std::size_t hosts, double percent) {
  return hosts +
         static_cast<std::size_t>(std::llround(static_cast<double>(hosts) * percent / 100.0));
}

}  // namespace cospot
