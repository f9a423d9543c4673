#pragma once

#include <string_view>

#include "sim_harness/data/workloads/vcpus_unit.hpp"
#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/data/workloads/workload_spec.hpp"

namespace cospot {

/// Reads or generates what a sweep or a command names. The workload's name is the spec's label.
///
/// Errors: WorkloadError for a file, ConfigError for a recipe.
[[nodiscard]] Workload load_workload(const WorkloadSpec& spec);
[[nodiscard]] Workload load_workload(const WorkloadSpec& spec, WorkloadClasses classes);

/// What one of the vcpus of a named workload is. Errors: WorkloadError.
[[nodiscard]] VcpusUnit vcpus_unit_of(const WorkloadSpec& spec);

/// Reads how a command line names a workload: a file, or a recipe such as
/// `azure2020:seed=1:scale=0.01:sampling=bernoulli`, every part after the model optional. A file
/// that exists wins. Errors: ConfigError for a recipe.
[[nodiscard]] WorkloadSpec parse_workload_spec(std::string_view text);

}  // namespace cospot
