#pragma once

#include <string_view>

#include "sim_harness/data/workloads/vcpus_unit.hpp"
#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/data/workloads/workload_spec.hpp"

namespace cospot {

/// Reads or generates the workload named in a sweep or command. Its name is the spec's label.
///
/// Errors: WorkloadError for a file, ConfigError for a synthetic workload.
[[nodiscard]] Workload load_workload(const WorkloadSpec& spec);
[[nodiscard]] Workload load_workload(const WorkloadSpec& spec, WorkloadClasses classes);

/// The unit of a named workload's vcpus. Errors: WorkloadError.
[[nodiscard]] VcpusUnit vcpus_unit_of(const WorkloadSpec& spec);

/// Tells whether a text names a synthetic workload, unless there is a file of that name.
[[nodiscard]] bool names_model(std::string_view text);

/// Parses a workload named on the command line: a file, or a spec such as
/// `azure2020:seed=1:scale=0.01:sampling=bernoulli`, in which every part after the model is
/// optional. An existing file takes precedence. Errors: ConfigError for a spec.
[[nodiscard]] WorkloadSpec parse_workload_spec(std::string_view text);

}  // namespace cospot
