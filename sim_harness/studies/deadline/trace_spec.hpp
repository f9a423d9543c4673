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

/// Windows of one length, one every so often, in a part of a trace.
struct TraceWindows {
  double from = 0, to = 1;  ///< shares of the trace
  double hours = 0;         ///< of each
  double every_hours = 0;
};

/// The first ticks of the windows: the first is the first whole tick of the part, and all end in
/// it. Empty: there is no room for one.
[[nodiscard]] std::vector<std::size_t> window_starts(const AvailabilityTrace& trace,
                                                     const TraceWindows& windows);

/// A value of the axis `trace`: a JSON file, a CSV, the event log of a CoSpot run, or a synthetic
/// trace; or one window of it.
struct TraceSpec {
  std::string label;
  std::string input;           ///< label of the file, which its windows share
  std::filesystem::path file;  ///< empty: synthetic
  bool is_event_log = false;
  std::string model;  ///< of a synthetic trace
  std::int64_t seed = 1;
  double days = 30;                    ///< of a synthetic trace
  double gap_seconds = 300;            ///< of a synthetic trace, a CSV and an event log
  std::int64_t instances = 1;          ///< that the job needs at once
  std::optional<CapacityQuote> quote;  ///< stated; else it is taken from the ticks before the start
  std::optional<std::size_t> window;   ///< the first tick of a window; the key start_hours is added
};

/// A path, `{file: ...}`, `{events: ...}` or `{synthetic: MODEL, seed: 1, days: 30}`, with what may
/// stand beside them. A path with wildcards gives several. Errors: ConfigError.
[[nodiscard]] std::vector<TraceSpec> read_trace_specs(const ConfigNode& node,
                                                      const std::filesystem::path& folder);

/// With every default written out.
[[nodiscard]] Json setting_json(const TraceSpec& spec);
[[nodiscard]] AxisValue axis_value(const TraceSpec& spec);

/// The whole trace, also for a window of it; its capacity is in groups of `instances`. Errors:
/// WorkloadError.
[[nodiscard]] AvailabilityTrace load_trace(const TraceSpec& spec);

}  // namespace cospot
