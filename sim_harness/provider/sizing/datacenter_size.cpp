#include "sim_harness/provider/sizing/datacenter_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/errors.hpp"
#include "sim_harness/base/text/terminal_meter.hpp"
#include "sim_harness/data/workloads/plausible_sizes.hpp"
#include "sim_harness/data/workloads/workload_info.hpp"
#include "sim_harness/provider/sizing/headroom.hpp"
#include "sim_harness/provider/sizing/vm_packing.hpp"

namespace cospot {
namespace {

constexpr std::string_view kRejectedVmRemedy =
    "give 'hosts' instead of 'headroom_percent' to count such VMs as rejected";

/// From one size that is tried to the next. A thousandth of the lower bound: up to 1,999 hosts
/// every size is tried; a whole zone's result is at most 0.1 % of it above the first that fits.
std::size_t step_from(std::size_t lower_bound) {
  return std::max<std::size_t>(1, lower_bound / 1000);
}

/// The fewest hosts that hold a peak if nothing is lost to packing. Every VM fits a host.
std::size_t lower_bound_of(const Workload& workload, const HostMix& host) {
  const ResourceTotal peak = peak_demand(workload, Sees::kVms).amount;
  const std::optional<std::size_t> hosts =
      host.fewest_with({peak.vcpus, peak.memory_mb, peak.disk_gb});
  return std::max<std::size_t>(1, hosts.value_or(kMaxHosts));
}

std::string hosts_have(const HostMix& host, const SizeWords& words) {
  const ResourceVector total = host.largest_total();
  const std::string size = size_text(words, total.vcpus, total.memory_mb, total.disk_gb);
  if (host.is_plain()) return fmt::format("more than a host has ({})", size);
  return fmt::format("more than any host has (the largest amounts: {})", size);
}

}  // namespace

void require_every_vm_fits(const Workload& workload, const HostMix& host, std::string_view remedy,
                           const VcpusUnit& unit) {
  const SizeWords words = size_words(unit);
  for (const WorkloadRow& row : workload.rows) {
    const ResourceVector& size = row.resources;
    if (row.instance_class != InstanceClass::kVm || host.fits_an_empty_host(size)) continue;
    if (!starts_in_time(row, workload.window)) continue;
    const std::string doubt = size_sums(workload).host_doubt(host.largest_total(), unit);
    throw ConfigError(fmt::format(
        "workload '{}': VM '{}' asks for {}, {}, so no datacenter holds all VMs; {}{}",
        workload.name, row.id, size_text(words, size.vcpus, size.memory_mb, size.disk_gb),
        hosts_have(host, words), remedy, doubt.empty() ? "" : ". All " + doubt));
  }
}

bool fits_every_vm(const Workload& workload, const HostMix& host) {
  return std::ranges::all_of(workload.rows, [&](const WorkloadRow& row) {
    return row.is_spot() || host.fits_an_empty_host(row.resources);
  });
}

std::string oversized_warning(const Workload& workload, const HostMix& host,
                              const VcpusUnit& unit) {
  const WorkloadRow* first = nullptr;
  std::size_t vms = 0;
  std::size_t spots = 0;
  for (const WorkloadRow& row : workload.rows) {
    if (host.fits_an_empty_host(row.resources) || !starts_in_time(row, workload.window)) continue;
    if (first == nullptr) first = &row;
    ++(row.is_spot() ? spots : vms);
  }
  if (first == nullptr) return {};
  const SizeWords words = size_words(unit);
  const ResourceVector& size = first->resources;
  return fmt::format(
      "{}: requests larger than every host count as rejected: {} VM{}, {} spot{}; the first, '{}', "
      "asks for {}, {}",
      workload.name, vms, vms == 1 ? "" : "s", spots, spots == 1 ? "" : "s", first->id,
      size_text(words, size.vcpus, size.memory_mb, size.disk_gb), hosts_have(host, words));
}

std::vector<std::string> host_warnings(const Workload& workload, const HostMix& host,
                                       const VcpusUnit& unit, const RunResult& run,
                                       std::string_view consequence) {
  std::vector<std::string> warnings;
  std::string oversized = oversized_warning(workload, host, unit);
  if (!oversized.empty()) warnings.push_back(std::move(oversized));
  const std::uint64_t homeless = run.vm_rejected - run.vm_too_large;
  if (homeless > 0) {
    warnings.push_back(
        fmt::format("{}: {} of {} VMs found no host on these hosts; on hosts that hold them, {}",
                    workload.name, homeless, run.vm_requests, consequence));
  }
  return warnings;
}

DatacenterSize smallest_datacenter(const Workload& workload, const EventSchedule& vms,
                                   const HostMix& host, const ChainSpec& vm, const VcpusUnit& unit,
                                   std::string_view remedy) {
  require_every_vm_fits(workload, host, remedy, unit);
  DatacenterSize size;
  size.lower_bound = lower_bound_of(workload, host);
  size.hosts = size.lower_bound;
  TerminalMeter meter("", MeterUnit::kEvents);
  VmPacking packing(vms, host, vm);
  for (;; size.hosts += step_from(size.lower_bound)) {
    meter.rename(fmt::format("sizing {} for {}, {} hosts", workload.name, vm.label, size.hosts));
    if (packing.fits(size.hosts, meter)) return size;
    if (const std::optional<InstanceIndex> vm_without_host = packing.never_fits()) {
      throw ConfigError(fmt::format(
          "workload '{}': however many hosts there are, VM '{}' finds none under {} for what it "
          "asks beside room (zone, extra specs, server group); {}",
          workload.name, workload.rows[*vm_without_host].id, vm.label, kRejectedVmRemedy));
    }
    if (size.hosts >= kMaxHosts) {
      throw ConfigError(fmt::format("workload '{}': {} hosts do not hold all VMs under {}",
                                    workload.name, size.hosts, vm.label));
    }
  }
}

std::size_t fewest_hosts(const Workload& workload, const EventSchedule& vms, const HostMix& host,
                         std::span<const ChainSpec> policies, const VcpusUnit& unit) {
  std::size_t fewest = kMaxHosts;
  for (const ChainSpec& vm : policies) {
    fewest = std::min(fewest, smallest_datacenter(workload, vms, host, vm, unit).hosts);
  }
  return fewest;
}

std::size_t with_headroom(std::size_t hosts, double percent) {
  return hosts +
         static_cast<std::size_t>(std::llround(static_cast<double>(hosts) * percent / 100.0));
}

}  // namespace cospot
