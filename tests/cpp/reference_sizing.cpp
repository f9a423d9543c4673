#include <algorithm>
#include <array>
#include <cstdint>

#include "core/errors.hpp"
#include "tests/cpp/reference_simulator.hpp"

namespace cospot::reference {
namespace {

using Amounts = std::array<std::int64_t, 3>;

Amounts amounts(const ResourceVector& resources) {
  return {resources.vcpus, resources.memory_mb, resources.disk_gb};
}

/// Tells whether `other` has arrived and not yet left when `row` arrives.
bool runs_at_arrival(const Workload& vms, std::size_t other, std::size_t row) {
  const SimTime now = vms.rows[row].start;
  const SimTime start = vms.rows[other].start;
  return (start < now || (start == now && other < row)) && now < vms.rows[other].end;
}

/// The largest sum of each resource that VMs hold at once: right after some arrival.
Amounts peak_demand(const Workload& vms) {
  Amounts peak{};
  for (std::size_t row = 0; row < vms.rows.size(); ++row) {
    Amounts held = amounts(vms.rows[row].resources);
    for (std::size_t other = 0; other < vms.rows.size(); ++other) {
      if (other == row || !runs_at_arrival(vms, other, row)) continue;
      const Amounts more = amounts(vms.rows[other].resources);
      for (std::size_t i = 0; i < held.size(); ++i) held[i] += more[i];
    }
    for (std::size_t i = 0; i < held.size(); ++i) peak[i] = std::max(peak[i], held[i]);
  }
  return peak;
}

}  // namespace

std::size_t datacenter_size(const Workload& workload, const ResourceVector& capacity,
                            const std::string& vm_policy) {
  Workload vms = workload;
  std::erase_if(vms.rows, [&](const WorkloadRow& row) {
    return row.instance_class == InstanceClass::kSpot || row.start >= workload.window;
  });
  for (const WorkloadRow& row : vms.rows) {
    if (row.resources.fits_in(capacity)) continue;
    throw WorkloadError("VM '" + row.id + "' does not fit on an empty host");
  }
  const Amounts peak = peak_demand(vms);
  const Amounts room = amounts(capacity);
  std::int64_t hosts = 0;
  for (std::size_t i = 0; i < peak.size(); ++i) {
    if (peak[i] > 0) hosts = std::max(hosts, (peak[i] + room[i] - 1) / room[i]);
  }
  Settings settings{.host = capacity, .hosts = static_cast<std::size_t>(hosts), .vm = vm_policy};
  while (simulate(vms, settings).result.vm_rejected > 0) ++settings.hosts;
  return settings.hosts;
}

}  // namespace cospot::reference
