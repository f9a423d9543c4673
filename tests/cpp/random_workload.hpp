#pragma once

#include <cstddef>
#include <cstdint>

#include "core/model/resource_vector.hpp"
#include "sim_harness/data/workloads/workload.hpp"

namespace cospot {

/// What a random workload for differential tests is like. It is small, yet all that is rare in a
/// real one is frequent: times on a grid of six hours (so many are equal), instances of length
/// zero, without an end or larger than a host, requests before the window, before and after day 3
/// and day 90, sizes with the same ratio (parallel vectors), demand above what the hosts hold.
struct RandomWorkloadOptions {
  std::uint64_t seed = 0;
  std::size_t requests = 100;
  ResourceVector host{10, 10, 0};    ///< sizes are drawn for it; disk_gb 0: no request has disk
  std::size_t hosts = 4;             ///< the demand is drawn for so many
  std::uint64_t load_percent = 130;  ///< mean demand of `hosts` hosts' vcpus, rejected included
  std::uint64_t spot_percent = 45;
};

/// The same options give the same workload on every machine. Every request has at least one vcpu
/// and 1 MiB, so that a host of at most 16 vcpus never holds more than 16 spots.
[[nodiscard]] Workload random_workload(const RandomWorkloadOptions& options);

}  // namespace cospot
