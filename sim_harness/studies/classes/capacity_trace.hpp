#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "guarantees/pricing/class_table.hpp"
#include "guarantees/pricing/demand.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/data/workloads/workload_spec.hpp"
#include "sim_harness/experiments/results/experiment_record.hpp"
#include "sim_harness/provider/policies/policy_loader.hpp"
#include "sim_harness/studies/provider/provider_settings.hpp"

namespace cospot {

/// Where idle capacity comes from, as a study file or a command names it.
struct CapacityTraceSpec {
  std::string label;
  WorkloadSpec source;  ///< a log of jobs, a workload, or (`.yaml`) a scenario to be run
};

/// Which part of a trace is looked at, and how it is measured.
struct TraceOptions {
  std::optional<std::size_t> servers{};  ///< of the cluster; by default the peak of the whole trace
  double from_day = 0;                   ///< since the trace begins
  std::optional<double> to_day{};        ///< by default where no more starts
  std::optional<std::int64_t> server_vcpus{};  ///< of a server of the smallest type
};

/// The idle capacity of a trace.
struct CapacityTrace {
  std::string label;
  std::string sha256{};  ///< of what was read
  IdleRecord record{};
  bool is_placed = false;  ///< the servers are the hosts of a run, not ranks
  /// What a server is, for people: "of 2 vCPUs", "(gen3 120, gen2 40), counted by their vCPUs";
  /// empty: nobody knows.
  std::string server_size{};
  double server_vcpus = 0;  ///< vCPUs of one, of hosts the mean; 0: nobody knows
  double day_count = 0;     ///< that the trace has
  double vms_rejected = 0;  ///< of a run
  /// How long spots of a run lived until an eviction each, in hours. A spot that ended by itself
  /// counts with the next one, so that they sum up to all time that spots ran.
  std::vector<double> spot_lives{};
};

[[nodiscard]] inline AxisValue axis_value(const CapacityTraceSpec& trace) {
  return {trace.label, trace.label, trace.label};
}
[[nodiscard]] inline Json setting_json(const CapacityTraceSpec& trace) { return trace.label; }

/// Reads `name`: a file of any of the formats, or a workload spec. Errors: ConfigError.
[[nodiscard]] CapacityTraceSpec parse_trace_spec(const std::string& name);

/// Loads a trace and finds its idle periods.
///
/// Demand is what jobs or VMs occupy, in servers of the smallest type: a job its nodes or
/// processors, a VM its vcpus / server_vcpus, rounded up. Spots are not demand. Jobs whose duration
/// is not known are left out. Of a scenario, the periods are those in which its hosts held no VM.
///
/// Errors: WorkloadError; ConfigError for days that the trace does not have, or when no server is
/// ever idle.
[[nodiscard]] CapacityTrace load_trace(const CapacityTraceSpec& spec, const TraceOptions& options,
                                       PolicyLoader& loader);

/// The same of a scenario that is at hand. Errors: ConfigError; those of the run.
[[nodiscard]] CapacityTrace run_trace(const ProviderSettings& scenario, const std::string& label,
                                      const TraceOptions& options);

/// The smallest size that at least one VM of 20 asks for: the smallest type that matters.
[[nodiscard]] std::int64_t smallest_usual_vcpus(const Workload& workload);

}  // namespace cospot
