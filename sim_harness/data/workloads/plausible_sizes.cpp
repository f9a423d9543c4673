#include "sim_harness/data/workloads/plausible_sizes.hpp"

#include <fmt/format.h>

#include <utility>

#include "sim_harness/data/workloads/window.hpp"

namespace cospot {
namespace {

/// MiB for each vCPU that no cloud sells on average: GiB taken for MiB give 1 to 32, KiB a million.
constexpr double kLeastMemory = 64;
constexpr double kMostMemory = 262'144;

/// Hosts may have many times the memory a vcpu that requests ask for, but not so many: the next
/// unit of either is 1,000 times as large.
constexpr double kMostDifference = 100;

}  // namespace

void SizeSums::add(const ResourceVector& amounts) {
  if (amounts.memory_mb == 0) return;  // a log without memory, or without that of some
  vcpus_ += static_cast<double>(amounts.vcpus);
  memory_mb_ += static_cast<double>(amounts.memory_mb);
}

std::string SizeSums::memory_doubt(const VcpusUnit& unit) const {
  if (vcpus_ == 0 || unit.is_relative) return {};
  const double memory = memory_per_vcpu() / unit.vcpus;
  if (memory < kLeastMemory) {
    return fmt::format(
        "requests ask for {:.3g} MiB of memory a vCPU, which looks like GiB; if it is, say --map "
        "'memory_mb=COLUMN * 1024'",
        memory);
  }
  if (memory <= kMostMemory) return {};
  return fmt::format(
      "requests ask for {:.3g} MiB of memory a vCPU, which looks like KiB or bytes; if it is, say "
      "--map 'memory_mb=COLUMN / 1024.0' or --map 'memory_mb=COLUMN / 1048576.0'{}",
      memory,
      unit.vcpus < 1 ? fmt::format("; or one of vcpus is not {:g} vCPU: --vcpus-unit", unit.vcpus)
                     : "");
}

std::string SizeSums::host_doubt(const ResourceVector& host, const VcpusUnit& unit) const {
  if (vcpus_ == 0 || host.vcpus == 0 || host.memory_mb == 0) return {};
  const double of_host = static_cast<double>(host.memory_mb) / static_cast<double>(host.vcpus);
  const double ratio = of_host / memory_per_vcpu();
  if (ratio <= kMostDifference && ratio >= 1 / kMostDifference) return {};
  constexpr ResourceAmount kMibOfGib = 1024;
  const double corrected = ratio * static_cast<double>(kMibOfGib);
  std::string expected = unit.is_relative
                             ? "both in relative units"
                             : fmt::format("a vcpu counting {:g} vCPU, memory in MiB", unit.vcpus);
  if (corrected <= kMostDifference && corrected >= 1 / kMostDifference) {
    expected += fmt::format(" ({},{} if {} is in GiB)", host.vcpus, kMibOfGib * host.memory_mb,
                            host.memory_mb);
  }
  return fmt::format(
      "requests ask for {:.4g} memory_mb per vcpu, but a host of {},{} has {:.4g}: the units seem "
      "to "
      "differ; expected hosts in the unit of the requests: {}",
      memory_per_vcpu(), host.vcpus, host.memory_mb, of_host, expected);
}

SizeSums size_sums(const Workload& workload) {
  SizeSums sums;
  for (const WorkloadRow& row : workload.rows) sums.add(row.resources);
  return sums;
}

std::string host_warning(const Workload& workload, const SizeSums& sums, const ResourceVector& host,
                         const VcpusUnit& unit) {
  const std::string doubt = sums.host_doubt(host, unit);
  return doubt.empty() ? doubt : workload.name + ": " + doubt;
}

std::vector<std::string> input_warnings(const Workload& workload, const ResourceVector& host,
                                        const VcpusUnit& unit) {
  std::vector<std::string> warnings = window_warnings(workload);
  std::string doubt = host_warning(workload, size_sums(workload), host, unit);
  if (!doubt.empty()) warnings.push_back(std::move(doubt));
  return warnings;
}

}  // namespace cospot
