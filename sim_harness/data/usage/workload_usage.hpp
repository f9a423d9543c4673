#pragma once

#include <cstdint>
#include <optional>

#include "guarantees/economy/slack.hpp"
#include "sim_harness/data/workloads/workload.hpp"

namespace cospot {

/// Which resource is looked at.
enum class UsageResource : std::uint8_t { kVcpus, kMemoryMb };

/// How much of a resource the VMs of a workload use inside its window, in a datacenter that has
/// `capacity` of it; without one: as much as they use at most, so that nothing is left at the peak.
/// An instance counts with its whole size: what it really uses is not known.
///
/// Errors: WorkloadError when there is no VM in the window.
[[nodiscard]] UsageSeries usage_of_vms(const Workload& workload,
                                       std::optional<std::int64_t> capacity,
                                       UsageResource resource = UsageResource::kVcpus);

}  // namespace cospot
