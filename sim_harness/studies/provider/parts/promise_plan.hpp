#pragma once

#include <cstddef>
#include <vector>

#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/studies/promises/economy.hpp"
#include "sim_harness/studies/provider/parts/economy_keys.hpp"
#include "sim_harness/studies/provider/parts/economy_levels.hpp"

namespace cospot {

/// The vcpus and memory that a workload's VMs leave free, in a datacenter just large enough for
/// them.
struct VmUse {
  EconomyInput vcpus;
  EconomyInput memory_mb;
};

/// Errors: InputError if the workload has no VM or is too short for a prediction.
[[nodiscard]] VmUse vm_use_of(const Workload& workload, const EconomySettings& settings);

/// The same use of a resource on hosts that have `capacity` of it; its first `periods` at most.
[[nodiscard]] EconomyInput use_on(EconomyInput use, std::int64_t capacity,
                                  std::size_t periods = SIZE_MAX);

/// The promises over time on hosts with this capacity: each prediction uses the VMs' earlier usage;
/// nothing is promised before the first prediction.
[[nodiscard]] std::vector<PromiseStep> promise_steps(const VmUse& use, const HostMix::Sum& hosts,
                                                     const EconomyClassSettings& settings,
                                                     double confidence);

}  // namespace cospot
