#include "sim_harness/datacenter_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"
#include "sim_harness/simulation_engine.hpp"

namespace cospot {
namespace {

struct Demand {
  std::int64_t vcpus = 0;
  std::int64_t memory_mb = 0;
  std::int64_t disk_gb = 0;
};

/// The largest amount of each resource that runs at once when every request is admitted.
Demand peak_demand(const EventSchedule& schedule) {
  Demand now;
  Demand peak;
  for (const ScheduledEvent& event : schedule.events) {
    const ResourceVector& amount = schedule.resources(event);
    const int sign = event.is_departure() ? -1 : 1;
    now.vcpus += sign * amount.vcpus;
    now.memory_mb += sign * amount.memory_mb;
    now.disk_gb += sign * amount.disk_gb;
    peak.vcpus = std::max(peak.vcpus, now.vcpus);
    peak.memory_mb = std::max(peak.memory_mb, now.memory_mb);
    peak.disk_gb = std::max(peak.disk_gb, now.disk_gb);
  }
  return peak;
}

std::int64_t hosts_for(std::int64_t demand, ResourceAmount per_host) {
  return per_host == 0 ? 0 : (demand + per_host - 1) / per_host;
}

void check_every_vm_fits(const EventSchedule& vms, const ResourceVector& host) {
  for (const ScheduledEvent& event : vms.events) {
    const ResourceVector& size = vms.resources(event);
    if (size.fits_in(host)) continue;
    throw ConfigError(fmt::format(
        "a VM of {} vcpus, {} memory_mb, {} disk_gb (request {}) is larger than a host of {}, {}, "
        "{}, so no datacenter holds all VMs; use a larger host, or give 'hosts' instead of "
        "'headroom_percent' to count such VMs as rejected",
        size.vcpus, size.memory_mb, size.disk_gb, event.instance + 1, host.vcpus, host.memory_mb,
        host.disk_gb));
  }
}

bool rejects_none(const EventSchedule& vms, const ResourceVector& host, std::size_t hosts,
                  const Allocator& allocator) {
  SimulationEngine engine(vms, HostTable::uniform(hosts, host), allocator);
  return engine.run({.rejection = true}) == RunPause::kFinished;
}

}  // namespace

DatacenterSize smallest_datacenter(const EventSchedule& vms, const ResourceVector& host,
                                   const ChainSpec& vm) {
  check_every_vm_fits(vms, host);
  // Without spots neither the spot chain nor the evictor is ever asked.
  const ChainSpec first_fit{.label = "FirstFit", .weighers = {{.name = "FirstFit"}}};
  const Allocator allocator{.vm = make_chain(vm, ChainSide::kVm),
                            .spot = make_chain(first_fit, ChainSide::kSpot),
                            .evictor = make_evictor({.label = "FIFO", .name = "FIFO"})};
  const Demand peak = peak_demand(vms);
  const std::int64_t least =
      std::max({std::int64_t{1}, hosts_for(peak.vcpus, host.vcpus),
                hosts_for(peak.memory_mb, host.memory_mb), hosts_for(peak.disk_gb, host.disk_gb)});
  DatacenterSize size;
  size.lower_bound = static_cast<std::size_t>(least);
  size.hosts = size.lower_bound;
  while (!rejects_none(vms, host, size.hosts, allocator)) ++size.hosts;
  return size;
}

std::size_t with_headroom(std::size_t hosts, double percent) {
  return hosts +
         static_cast<std::size_t>(std::llround(static_cast<double>(hosts) * percent / 100.0));
}

}  // namespace cospot
