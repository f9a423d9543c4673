#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/model/resource_vector.hpp"
#include "sim_harness/data/workloads/workload_spec.hpp"
#include "sim_harness/experiments/results/experiment_record.hpp"
#include "sim_harness/provider/run/run_settings.hpp"
#include "sim_harness/provider/sizing/headroom.hpp"
#include "sim_harness/provider/sizing/shared_workload.hpp"
#include "sim_harness/studies/provider/provider_settings.hpp"

namespace cospot {

/// The workloads of a study of the provider's simulation, loaded once and shared by all runs.
struct ProviderInputs {
  std::vector<std::unique_ptr<SharedWorkload>> workloads;  ///< in the order of the study file
  std::vector<InputRecord> records;
  std::vector<SimTime> windows;       ///< in force
  std::vector<std::string> warnings;  ///< for the user who starts the study
};

/// Loads workloads for datacenters of `host` that are sized for `policies`.
///
/// Errors: WorkloadError; ConfigError if no datacenter size satisfies a headroom.
[[nodiscard]] ProviderInputs load_provider_inputs(const std::vector<WorkloadSpec>& specs,
                                                  const HostMix& host,
                                                  const std::vector<Headroom>& sizes,
                                                  const SizedPolicies& policies);
[[nodiscard]] ProviderInputs load_provider_inputs(const std::vector<WorkloadSpec>& specs,
                                                  const HostMix& host,
                                                  const std::vector<Headroom>& sizes,
                                                  const SizedPolicies& policies,
                                                  WorkloadClasses classes);

/// A workload as an experiment records it.
[[nodiscard]] InputRecord input_record(const WorkloadSpec& spec, const Workload& workload);

/// Records what the files hold that a study names for its hosts and evictors, each once.
void add_named_files(const HostMix& host, std::span<const EvictorSpec> evictors,
                     std::vector<InputRecord>& records);

/// The hosts of the first size for a workload; a headroom counts from the fewest that hold all VMs.
[[nodiscard]] std::size_t host_count(const ProviderSettings& settings, const Workload& workload);

/// The specs with the windows recorded in an experiment (recorded_window).
[[nodiscard]] std::vector<WorkloadSpec> as_recorded(std::vector<WorkloadSpec> specs,
                                                    const std::vector<SimTime>& windows);

}  // namespace cospot
