#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/customer/deadline/deadline_run.hpp"
#include "sim_harness/data/markets/availability_trace.hpp"
#include "sim_harness/experiments/results/experiment_record.hpp"

namespace cospot {

/// A value of the axis `trace`: a JSON file, a CSV, the event log of a CoSpot run, or a synthetic
/// trace.
struct TraceSpec {
  std::string label;
  std::filesystem::path file;  ///< empty: synthetic
  bool is_event_log = false;
  std::string model;  ///< of a synthetic trace
  std::int64_t seed = 1;
  double days = 30;                    ///< of a synthetic trace
  double gap_seconds = 300;            ///< of a synthetic trace, a CSV and an event log
  std::optional<CapacityQuote> quote;  ///< stated; else it is taken from the ticks before the start
};

/// A path, `{file: ...}`, `{events: ...}` or `{synthetic: MODEL, seed: 1, days: 30}`, with what may
/// stand beside them. A path with wildcards gives several. Errors: ConfigError.
[[nodiscard]] std::vector<TraceSpec> read_trace_specs(const ConfigNode& node,
                                                      const std::filesystem::path& folder);

/// With every default written out.
[[nodiscard]] Json setting_json(const TraceSpec& spec);
[[nodiscard]] AxisValue axis_value(const TraceSpec& spec);

/// Errors: WorkloadError.
[[nodiscard]] AvailabilityTrace load_trace(const TraceSpec& spec);

}  // namespace cospot
