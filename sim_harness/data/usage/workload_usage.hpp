#pragma once

#include <cstdint>
#include <optional>

#include "guarantees/economy/slack.hpp"
#include "sim_harness/data/workloads/workload.hpp"

namespace cospot {

/// The resource to measure.
enum class UsageResource : std::uint8_t { kVcpus, kMemoryMb };

/// The usage of a resource by the VMs of a workload inside its window, in a datacenter with this
/// `capacity` (default: the peak usage, which leaves no slack there). An instance counts with its
/// whole size, because its real usage is unknown.
///
/// Errors: WorkloadError if there is no VM in the window.
[[nodiscard]] UsageSeries usage_of_vms(const Workload& workload,
                                       std::optional<std::int64_t> capacity,
                                       UsageResource resource = UsageResource::kVcpus);

}  // namespace cospot
