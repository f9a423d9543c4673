#pragma once

#include <cstddef>
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

/// Windows of equal length at regular intervals within a part of a trace.
struct TraceWindows {
  double from = 0, to = 1;  ///< fractions of the trace
  double hours = 0;         ///< length of each window
  double every_hours = 0;
};

/// The first tick of each window. The first window starts at the first whole tick of the part; all
/// end within it. Empty: the part is too short.
[[nodiscard]] std::vector<std::size_t> window_starts(const AvailabilityTrace& trace,
                                                     const TraceWindows& windows);

/// A value of the axis `trace`: a JSON file, a CSV, the event log of a CoSpot run or a synthetic
/// trace, or one window of it.
struct TraceSpec {
  std::string label;
  std::string input;           ///< the file as written, shared by its windows and types
  std::string type;            ///< instance type; empty: not stated
  std::filesystem::path file;  ///< empty: synthetic
  bool is_event_log = false;
  std::string model;  ///< of a synthetic trace
  std::int64_t seed = 1;
  double days = 30;            ///< of a synthetic trace
  double gap_seconds = 300;    ///< of a synthetic trace, a CSV or an event log
  std::int64_t instances = 1;  ///< that the job needs simultaneously
  /// As stated; otherwise estimated from the ticks before the start.
  std::optional<CapacityQuote> quote;
  std::optional<std::size_t> window;  ///< first tick of a window; start_hours is added
};

/// A path, `{file: ...}`, `{events: ...}` or `{synthetic: MODEL, seed: 1, days: 30}`, with optional
/// keys. A path with wildcards gives several. Errors: ConfigError.
[[nodiscard]] std::vector<TraceSpec> read_trace_specs(const ConfigNode& node,
                                                      const std::filesystem::path& folder);

/// With all defaults written out.
[[nodiscard]] Json setting_json(const TraceSpec& spec);
[[nodiscard]] AxisValue axis_value(const TraceSpec& spec);

/// The whole trace, even for a window; its capacity is in groups of `instances`. Errors:
/// WorkloadError.
[[nodiscard]] AvailabilityTrace load_trace(const TraceSpec& spec);

}  // namespace cospot
