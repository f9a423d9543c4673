#include "sim_harness/sweeps/sweep_json.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <variant>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/sweeps/yaml_reader.hpp"
#include "sim_harness/workloads/window.hpp"

namespace cospot {
namespace {

std::string json_text(std::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      json += fmt::format("\\u{:04x}", static_cast<int>(c));
    } else {
      json += c;
    }
  }
  return json + '"';
}

template <class Values, class Write>
std::string json_list(const Values& values, const Write& write) {
  std::vector<std::string> items;
  for (const auto& value : values) items.push_back(write(value));
  return fmt::format("[{}]", fmt::join(items, ","));
}

std::string json_value(const PluginOptions::Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return json_text(*text);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *integer);
  return fmt::format("{}", std::get<double>(value));
}

std::string json_options(const PolicyOptions& options) {
  std::vector<std::string> items;
  for (const auto& [key, value] : options)
    items.push_back(json_text(key) + ":" + json_value(value));
  return fmt::format("{{{}}}", fmt::join(items, ","));
}

std::string json_weigher(const WeigherSpec& weigher) {
  return fmt::format("{{\"name\":{},\"multiplier\":{},\"options\":{}}}", json_text(weigher.name),
                     weigher.multiplier, json_options(weigher.options));
}

std::string json_filter(const FilterSpec& filter) {
  return fmt::format("{{\"name\":{},\"options\":{}}}", json_text(filter.name),
                     json_options(filter.options));
}

/// Filters stand there only when there are some, so that databases of chains without stay valid.
std::string json_chain(const ChainSpec& chain) {
  const std::string filters =
      chain.filters.empty() ? ""
                            : fmt::format("\"filters\":{},", json_list(chain.filters, json_filter));
  return fmt::format("{{\"label\":{},{}\"weighers\":{}}}", json_text(chain.label), filters,
                     json_list(chain.weighers, json_weigher));
}

/// A model file counts by what is in it.
std::string json_evictor(const EvictorSpec& evictor) {
  const std::string model =
      evictor.model_sha256.empty()
          ? ""
          : fmt::format(",\"model_sha256\":{}", json_text(evictor.model_sha256));
  return fmt::format("{{\"label\":{},\"name\":{},\"options\":{}{}}}", json_text(evictor.label),
                     json_text(evictor.name), json_options(evictor.options), model);
}

/// The window stands there only where it must, so that databases without one stay valid.
std::string json_workload(const WorkloadSpec& workload) {
  const std::string window =
      workload.window ? ",\"window_days\":" + window_days_text(*workload.window) : "";
  if (!workload.synthetic) {
    return fmt::format("{{\"label\":{}{}}}", json_text(workload.label), window);
  }
  const SyntheticSpec& recipe = *workload.synthetic;
  return fmt::format("{{\"label\":{},\"synthetic\":{},\"seed\":{},\"scale\":{},\"sampling\":{}{}}}",
                     json_text(workload.label), json_text(recipe.model), recipe.seed, recipe.scale,
                     recipe.sampling == ZoneSampling::kBatched ? "\"batched\"" : "\"bernoulli\"",
                     window);
}

std::string json_host(const ResourceVector& host) {
  return fmt::format("{{\"vcpus\":{},\"memory_mb\":{},\"disk_gb\":{}}}", host.vcpus, host.memory_mb,
                     host.disk_gb);
}

std::string json_size(const Headroom& size) {
  return size.percent ? fmt::format("{{\"headroom_percent\":{}}}", *size.percent)
                      : fmt::format("{{\"hosts\":{}}}", size.hosts);
}

/// A number, or the label, which says all of a rule.
std::string json_otn(const OfferRule& otn) {
  return otn.kind() == OfferRule::Kind::kTopN ? otn.label() : json_text(otn.label());
}

bool is_same_value(const ConfigNode& one, const ConfigNode& other) {
  return one.kind == other.kind && one.text == other.text &&
         std::equal(one.items.begin(), one.items.end(), other.items.begin(), other.items.end(),
                    is_same_value) &&
         std::equal(one.entries.begin(), one.entries.end(), other.entries.begin(),
                    other.entries.end(), [](const ConfigEntry& a, const ConfigEntry& b) {
                      return a.key == b.key && is_same_value(a.value, b.value);
                    });
}

}  // namespace

std::string sweep_json(const Sweep& sweep) {
  const auto write_bool = [](bool value) { return std::string(value ? "true" : "false"); };
  return fmt::format(
      "{{\"workloads\":{},\"host\":{},\"sizes\":{},\"vm\":{},\"spot\":{},\"evictor\":{},"
      "\"saf\":{},\"otn\":{}}}",
      json_list(sweep.workloads, json_workload), json_host(sweep.host),
      json_list(sweep.sizes, json_size), json_list(sweep.vm, json_chain),
      json_list(sweep.spot, json_chain), json_list(sweep.evictors, json_evictor),
      json_list(sweep.saf, write_bool), json_list(sweep.otn, json_otn));
}

std::string run_json(const Sweep& sweep, const RunCoordinates& run, std::size_t hosts) {
  return fmt::format(
      "{{\"workload\":{},\"host\":{},\"size\":{},\"hosts\":{},\"vm\":{},\"spot\":{},"
      "\"evictor\":{},\"saf\":{},\"otn\":{}}}",
      json_workload(sweep.workloads[run.workload]), json_host(sweep.host),
      json_size(sweep.sizes[run.size]), hosts, json_chain(sweep.vm[run.vm]),
      json_chain(sweep.spot[run.spot]), json_evictor(sweep.evictors[run.evictor]),
      sweep.saf[run.saf] ? "true" : "false", json_otn(sweep.otn[run.otn]));
}

std::optional<SimTime> recorded_window(const std::optional<SimTime>& stated, SimTime in_force) {
  if (stated.has_value() || in_force != kDefaultWindow) return in_force;
  return std::nullopt;
}

std::string describe_difference(const std::string& one, const std::string& other) {
  const std::string fallback = "its configuration";
  try {
    // JSON is YAML.
    const ConfigNode left = parse_yaml(one, "one");
    const ConfigNode right = parse_yaml(other, "other");
    std::vector<std::string> keys;
    for (const ConfigEntry& entry : right.entries) {
      const ConfigNode* value = left.find(entry.key);
      if (value == nullptr || !is_same_value(*value, entry.value)) keys.push_back(entry.key);
    }
    return keys.empty() ? fallback : fmt::format("{}", fmt::join(keys, ", "));
  } catch (const ConfigError&) {
    return fallback;
  }
}

}  // namespace cospot
