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

/// The source of idle capacity, as named in a study file or command.
struct CapacityTraceSpec {
  std::string label;
  WorkloadSpec source;  ///< a job log, a workload, or (`.yaml`) a scenario to run
};

/// The part of a trace to use, and its units.
struct TraceOptions {
  std::optional<std::size_t> servers{};  ///< of the cluster; default: the peak of the whole trace
  double from_day = 0;                   ///< since the start of the trace
  std::optional<double> to_day{};        ///< default: when the last job starts
  std::optional<std::int64_t> server_vcpus{};  ///< of a server of the smallest type
};

/// The idle capacity of a trace.
struct CapacityTrace {
  std::string label;
  std::string sha256{};  ///< of the input
  IdleRecord record{};
  bool is_placed = false;   ///< servers are the hosts of a run, not ranks
  std::string simulated{};  ///< a line with the hosts and the policies of that run
  /// Describes a server: "of 2 vCPUs", "(gen3 120, gen2 40), counted by their vCPUs"; empty:
  /// unknown.
  std::string server_size{};
  double server_vcpus = 0;              ///< vCPUs of one server, for hosts the mean; 0: unknown
  double day_count = 0;                 ///< length of the trace
  std::vector<std::string> warnings{};  ///< what makes its figures doubtful
  /// The running time of a run's spots before each eviction, in hours. A spot that ended by itself
  /// is added to the next one, so that the sum is the total running time of spots.
  std::vector<double> spot_lives{};
};

[[nodiscard]] inline AxisValue axis_value(const CapacityTraceSpec& trace) {
  return {trace.label, trace.label, trace.label};
}
[[nodiscard]] inline Json setting_json(const CapacityTraceSpec& trace) { return trace.label; }

/// Parses `name`: a file of any of the formats, or a workload spec. Errors: ConfigError.
[[nodiscard]] CapacityTraceSpec parse_trace_spec(const std::string& name);

/// Loads a trace and finds its idle periods.
///
/// Demand is the capacity occupied by jobs or VMs, in servers of the smallest type: a job's nodes
/// or processors, or a VM's vcpus / server_vcpus, rounded up. Spots are not demand. Jobs of unknown
/// duration are dropped. The periods of a scenario are those in which its hosts ran no VM.
///
/// Errors: WorkloadError; ConfigError for days outside the trace, or if no server is ever idle.
[[nodiscard]] CapacityTrace load_trace(const CapacityTraceSpec& spec, const TraceOptions& options,
                                       PolicyLoader& loader);

/// The same for a scenario that is already read. Errors: ConfigError; those of the run.
[[nodiscard]] CapacityTrace run_trace(const ProviderSettings& scenario, const std::string& label,
                                      const TraceOptions& options);

/// The smallest size that at least one VM in 20 requests: the smallest relevant type.
[[nodiscard]] std::int64_t smallest_usual_vcpus(const Workload& workload);

}  // namespace cospot
