#pragma once

#include <cstddef>
#include <vector>

#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/studies/promises/economy.hpp"
#include "sim_harness/studies/provider/parts/economy_keys.hpp"
#include "sim_harness/studies/provider/parts/economy_levels.hpp"

namespace cospot {

/// What the VMs of a workload leave of both resources, in a datacenter that holds them and no more.
struct VmUse {
  EconomyInput vcpus;
  EconomyInput memory_mb;
};

/// Errors: InputError when the workload has no VM, or is too short for a prediction.
[[nodiscard]] VmUse vm_use_of(const Workload& workload, const EconomySettings& settings);

/// What is promised over time on hosts that have so much: at each prediction, what the VMs'
/// use before it lets expect; before the first one, nothing.
[[nodiscard]] std::vector<PromiseStep> promise_steps(const VmUse& use, const HostMix::Sum& hosts,
                                                     const EconomyClassSettings& settings,
                                                     double confidence);

}  // namespace cospot
