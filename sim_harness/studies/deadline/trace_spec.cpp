#include "sim_harness/studies/deadline/trace_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <string_view>

#include "core/errors.hpp"
#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/base/configuration/fields.hpp"
#include "sim_harness/base/configuration/named_files.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/data/markets/eviction_availability.hpp"

namespace cospot {
namespace {

constexpr std::string_view kKey = "trace";
constexpr double kMaxTraceHours = 1e6;
constexpr std::int64_t kMostTicks = 3'600'000'000;

const Fields<CapacityQuote> kQuoteFields{
    required(number_field("up_hours", &CapacityQuote::up_hours, 1e-3, kMaxTraceHours)),
    required(number_field("down_hours", &CapacityQuote::down_hours, 1e-3, kMaxTraceHours))};

const Fields<TraceWindows> kWindowFields{
    {.key = "part",
     .read =
         [](const auto& value, auto name, TraceWindows& windows) {
           const std::vector<const ConfigNode*> ends = read_list(value, name);
           if (ends.size() != 2) throw_bad_value(value, name, "two shares, such as [0.5, 1]");
           windows.from = read_number(*ends[0], name, 0, 1);
           windows.to = read_number(*ends[1], name, 0, 1);
         },
     .write = [](const TraceWindows&) -> std::optional<Json> { return std::nullopt; }},
    required(number_field("hours", &TraceWindows::hours, 1e-3, kMaxTraceHours)),
    required(number_field("every_hours", &TraceWindows::every_hours, 1e-3, kMaxTraceHours))};

AvailabilityTrace load_whole(const TraceSpec& spec) {
  const SimTime tick(std::llround(spec.gap_seconds * 1e6));
  if (spec.is_event_log) return read_eviction_availability(spec.file, tick);
  if (spec.model.empty()) return read_availability_trace(spec.file, tick, spec.type);
  const SimTime length(std::llround(spec.days * 86'400e6));
  return make_availability(find_availability_model(spec.model),
                           static_cast<std::uint64_t>(spec.seed), length, tick);
}

/// One trace for each of its windows.
std::vector<TraceSpec> windows_of(const TraceSpec& whole, const ConfigNode& node) {
  const TraceWindows windows = kWindowFields.read_all(node, "windows");
  const AvailabilityTrace trace = load_trace(whole);
  std::vector<TraceSpec> specs;
  for (const std::size_t start : window_starts(trace, windows)) {
    TraceSpec spec = whole;
    const SimTime time = trace.tick * static_cast<std::int64_t>(start);
    spec.label += fmt::format("@{:g}h", hours_of(time));
    spec.window = start;
    specs.push_back(spec);
  }
  if (!specs.empty()) return specs;
  throw ConfigError(fmt::format(
      "{}: trace {} holds {:g} h, no window of {:g} h lies in that part of it",
      key_place(node, "windows"), whole.label, hours_of(trace.length()), windows.hours));
}

/// One trace for each type: those that are wanted, or all of a CSV with the column `type`.
std::vector<TraceSpec> types_of(const TraceSpec& file, const std::vector<std::string>& wanted) {
  std::vector<std::string> types = wanted;
  const bool is_csv = !file.is_event_log && is_availability_csv(file.file);
  if (types.empty() && is_csv) types = availability_types(file.file);
  if (types.empty()) return {file};
  std::vector<TraceSpec> specs;
  for (const std::string& type : types) {
    TraceSpec& spec = specs.emplace_back(file);
    spec.type = type;
    if (types.size() > 1) spec.label += ":" + type;
  }
  return specs;
}

std::vector<TraceSpec> specs_of_path(const ConfigNode& path, const std::filesystem::path& folder,
                                     const TraceSpec& beside,
                                     const std::vector<std::string>& types = {}) {
  std::vector<TraceSpec> specs;
  for (const ExpandedPath& one : read_paths(path, kKey, folder)) {
    TraceSpec spec = beside;
    spec.file = one.file;
    if (spec.label.empty()) spec.label = one.label;
    spec.input = one.label;
    for (const TraceSpec& of_type : types_of(spec, types)) specs.push_back(of_type);
  }
  return specs;
}

/// Reads the parameters of a synthetic trace. Its label names those that differ from the defaults,
/// so that two traces never share one.
void read_synthetic(const ConfigNode& node, TraceSpec& spec) {
  constexpr std::int64_t kMaxSeed = std::numeric_limits<std::int64_t>::max();
  spec.model = read_text(*node.find("synthetic"), "synthetic");
  try {
    (void)find_availability_model(spec.model);
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("{}: {}", node.where, error.what()));
  }
  const ConfigNode* seed = node.find("seed");
  const ConfigNode* days = node.find("days");
  if (seed != nullptr) spec.seed = read_integer(*seed, "seed", 0, kMaxSeed);
  if (days != nullptr) spec.days = read_number(*days, "days", 0.1, 3650);
  if (!spec.label.empty()) return;
  spec.label = fmt::format("{}-{}", spec.model, spec.seed);
  if (days != nullptr) spec.label += fmt::format("-{}d", spec.days);
  if (node.find("gap_seconds") != nullptr) spec.label += fmt::format("-{}s", spec.gap_seconds);
}

std::vector<TraceSpec> read_one(const ConfigNode& node, const std::filesystem::path& folder) {
  if (node.kind != ConfigNode::Kind::kMapping) return specs_of_path(node, folder, {});
  static constexpr std::array<std::string_view, 12> kKeys{
      "label", "file",        "events",    "synthetic", "seed",    "days",
      "type",  "gap_seconds", "instances", "quote",     "windows", "window"};
  require_known_keys(node, kKey, kKeys);
  TraceSpec spec;
  if (const ConfigNode* label = node.find("label")) spec.label = read_label(*label, "label");
  if (const ConfigNode* gap = node.find("gap_seconds")) {
    spec.gap_seconds = read_number(*gap, "gap_seconds", 1, 86'400);
  }
  if (const ConfigNode* instances = node.find("instances")) {
    spec.instances = read_integer(*instances, "instances", 1, 1'000'000);
  }
  if (const ConfigNode* quote = node.find("quote"))
    spec.quote = kQuoteFields.read_all(*quote, "quote");
  if (const ConfigNode* window = node.find("window")) {
    spec.window = static_cast<std::size_t>(read_integer(*window, "window", 0, kMostTicks));
  }
  std::vector<std::string> types;
  if (const ConfigNode* type = node.find("type")) {
    types = read_distinct(*type, "type",
                          [](const ConfigNode& item) { return read_label(item, "type"); });
  }
  const ConfigNode* file = node.find("file");
  const ConfigNode* events = node.find("events");
  const bool is_synthetic = node.find("synthetic") != nullptr;
  if ((file != nullptr ? 1 : 0) + (events != nullptr ? 1 : 0) + (is_synthetic ? 1 : 0) != 1) {
    throw_bad_value(node, kKey, "one of the keys file, events, synthetic");
  }
  std::vector<TraceSpec> whole;
  if (is_synthetic) {
    read_synthetic(node, spec);
    spec.input = spec.label;
    whole = types_of(spec, types);
  } else {
    spec.is_event_log = events != nullptr;
    whole = specs_of_path(events != nullptr ? *events : *file, folder, spec, types);
  }
  const ConfigNode* windows = node.find("windows");
  if (windows == nullptr) return whole;
  if (spec.window) throw_bad_value(node, kKey, "one of the keys window, windows");
  std::vector<TraceSpec> specs;
  for (const TraceSpec& one : whole) {
    for (const TraceSpec& window : windows_of(one, *windows)) specs.push_back(window);
  }
  return specs;
}

}  // namespace

std::vector<std::size_t> window_starts(const AvailabilityTrace& trace,
                                       const TraceWindows& windows) {
  const auto ticks_of = [&trace](double hours) {
    return static_cast<std::size_t>(time_of_hours(hours) / trace.tick);
  };
  const auto ticks = static_cast<double>(trace.capacity.size());
  const auto end = static_cast<std::size_t>(std::floor(windows.to * ticks));
  const std::size_t length = ticks_of(windows.hours);
  const std::size_t step = std::max<std::size_t>(ticks_of(windows.every_hours), 1);
  std::vector<std::size_t> starts;
  auto start = static_cast<std::size_t>(std::ceil(windows.from * ticks));
  for (; start + length <= end; start += step) starts.push_back(start);
  return starts;
}

std::vector<TraceSpec> read_trace_specs(const ConfigNode& node,
                                        const std::filesystem::path& folder) {
  std::vector<TraceSpec> specs;
  Labels labels;
  for (const ConfigNode* item : read_list(node, kKey)) {
    for (const TraceSpec& spec : read_one(*item, folder)) {
      labels.add(spec.label, *item, kKey);
      specs.push_back(spec);
    }
  }
  return specs;
}

Json setting_json(const TraceSpec& spec) {
  Json json{{"label", spec.label}};
  if (!spec.model.empty()) {
    json["synthetic"] = spec.model;
    json["seed"] = spec.seed;
    json["days"] = json_of(spec.days);
  }
  if (spec.model.empty()) json[spec.is_event_log ? "events" : "file"] = spec.input;
  if (spec.is_event_log || !spec.model.empty() || is_availability_csv(spec.file)) {
    json["gap_seconds"] = json_of(spec.gap_seconds);
  }
  if (!spec.type.empty()) json["type"] = spec.type;
  if (spec.instances != 1) json["instances"] = spec.instances;
  if (spec.window) json["window"] = *spec.window;
  if (spec.quote) json["quote"] = kQuoteFields.json(*spec.quote);
  return json;
}

AxisValue axis_value(const TraceSpec& spec) {
  return {spec.label, spec.label, compact_json(setting_json(spec))};
}

AvailabilityTrace load_trace(const TraceSpec& spec) {
  AvailabilityTrace trace = load_whole(spec);
  for (std::uint32_t& count : trace.capacity) {
    count /= static_cast<std::uint32_t>(spec.instances);
  }
  return trace;
}

}  // namespace cospot
