#pragma once

#include "sim_harness/studies/compare/compare.hpp"
#include "sim_harness/studies/compare/sweep.hpp"

namespace cospot {

/// Loads the workloads of a sweep, once, and makes what simulates its groups. Schedules and
/// datacenter sizes are made when first needed and shared by all groups and threads. The sweep
/// must outlive the runner.
///
/// Errors: WorkloadError; ConfigError, also from the groups, when a headroom asks for a datacenter
/// that no size satisfies.
[[nodiscard]] SweepRunner make_sweep_runner(const Sweep& sweep);

/// What one of the vcpus of each workload is. Errors: WorkloadError.
[[nodiscard]] std::vector<VcpusUnit> vcpus_units_of(const Sweep& sweep);

}  // namespace cospot
