#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/model/resource_vector.hpp"
#include "sim_harness/data/workloads/workload_spec.hpp"
#include "sim_harness/experiments/results/experiment_record.hpp"
#include "sim_harness/provider/run/run_settings.hpp"
#include "sim_harness/provider/sizing/headroom.hpp"
#include "sim_harness/provider/sizing/shared_workload.hpp"

namespace cospot {

/// The workloads of a study of the provider's simulation, loaded once and shared by all runs.
struct ProviderInputs {
  std::vector<std::unique_ptr<SharedWorkload>> workloads;  ///< in the order of the study file
  std::vector<InputRecord> records;
  std::vector<SimTime> windows;       ///< in force
  std::vector<std::string> warnings;  ///< for whoever starts the study
};

/// Loads workloads for datacenters of `host` that are sized for `policies`.
///
/// Errors: WorkloadError; ConfigError when a headroom asks for a datacenter that no size satisfies.
[[nodiscard]] ProviderInputs load_provider_inputs(const std::vector<WorkloadSpec>& specs,
                                                  const HostMix& host,
                                                  const std::vector<Headroom>& sizes,
                                                  const SizedPolicies& policies);
[[nodiscard]] ProviderInputs load_provider_inputs(const std::vector<WorkloadSpec>& specs,
                                                  const HostMix& host,
                                                  const std::vector<Headroom>& sizes,
                                                  const SizedPolicies& policies,
                                                  WorkloadClasses classes);

/// The specs with the windows that an experiment's record names (recorded_window), and what one of
/// each workload's vcpus is, which money goes by.
[[nodiscard]] std::vector<WorkloadSpec> as_recorded(std::vector<WorkloadSpec> specs,
                                                    const std::vector<SimTime>& windows);

}  // namespace cospot
