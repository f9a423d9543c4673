#include "sim_harness/studies/provider/configuration_yaml.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "core/lower_case.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/base/text/plain_text.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"

namespace cospot {
namespace {

/// The characters that end a line for some readers of YAML, or belong to none.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kOtherLineEnds{
    {{"\xc2\x85", "\\u0085"},
     {"\xe2\x80\xa8", "\\u2028"},
     {"\xe2\x80\xa9", "\\u2029"},
     {"\xef\xbb\xbf", "\\ufeff"}}};

std::string byte_escape(char byte) {
  return fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
}

/// The text with the escapes of double quotes in place of control characters and line ends.
std::string on_one_line(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const auto end = std::ranges::find_if(
        kOtherLineEnds, [&text](const auto& one) { return text.starts_with(one.first); });
    const char first = text.front();
    const bool is_control = (first >= 0 && first < 0x20) || first == 0x7f;
    if (end != kOtherLineEnds.end()) {
      line += end->second;
    } else {
      line += is_control ? byte_escape(first) : std::string(1, first);
    }
    text.remove_prefix(end != kOtherLineEnds.end() ? end->first.size() : 1);
  }
  return line;
}

std::string quoted_yaml(std::string_view text) {
  std::string marked;
  for (const char c : text) {
    if (c == '"' || c == '\\') marked += '\\';
    marked += c;
  }
  const std::string line = on_one_line(marked);
  if (find_non_text(line) != std::string_view::npos) {
    throw ConfigError(fmt::format("{} cannot be written into a YAML file, expected a text in UTF-8",
                                  yaml_comment(text)));
  }
  return '"' + line + '"';
}

/// Tells whether a YAML reader could take the bare word for something else than a text.
bool is_reserved(std::string_view text) {
  static constexpr std::array<std::string_view, 12> kReserved{
      "true", "false", "yes", "no", "on", "off", "null", "y", "n", "nan", "inf", "infinity"};
  return std::ranges::find(kReserved, in_lower_case(text)) != kReserved.end();
}

std::string policy_name(const Json& policy) { return policy.at("name").get<std::string>(); }

/// A policy inside a list, or one that stands alone and has a label: `UTIL` or `{name: UTIL, ...}`.
std::string policy_yaml(const Json& policy, const std::string& label) {
  const std::string name = policy_name(policy);
  Json entries{{"name", name}};
  if (label != name) entries["label"] = label;
  if (policy.contains("multiplier") && policy["multiplier"] != 1) {
    entries["multiplier"] = policy["multiplier"];
  }
  entries.update(policy.at("options"));
  return entries.size() == 1 ? yaml_text(name) : flow_yaml(entries);
}

std::string policies_yaml(const Json& policies) {
  std::vector<std::string> items;
  for (const Json& policy : policies) items.push_back(policy_yaml(policy, policy_name(policy)));
  return fmt::format("[{}]", fmt::join(items, ", "));
}

/// Without what it does not have.
Json host_entries(const Json& host) {
  Json entries = Json::object();
  for (const auto& [key, value] : host.items()) {
    const bool is_nothing = value.empty() || value == "" || (key == "disk_gb" && value == 0);
    if (!is_nothing) entries[key] = value;
  }
  return entries;
}

}  // namespace

std::string yaml_comment(std::string_view text) {
  std::string line = on_one_line(text);
  for (std::size_t at = 0; (at = find_non_text(line)) != std::string::npos;) {
    line.replace(at, 1, byte_escape(line[at]));
  }
  return "# " + line;
}

std::string yaml_text(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const bool plain = !text.empty() && is_letter(text.front()) && !is_reserved(text) &&
                     std::all_of(text.begin(), text.end(), [&](char c) {
                       return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
                              c == '.' || c == '/' || c == '+';
                     });
  return plain ? std::string(text) : quoted_yaml(text);
}

std::string flow_yaml(const Json& json) {
  if (json.is_string()) return yaml_text(json.get<std::string>());
  std::vector<std::string> parts;
  if (json.is_array()) {
    for (const Json& item : json) parts.push_back(flow_yaml(item));
    return fmt::format("[{}]", fmt::join(parts, ", "));
  }
  if (!json.is_object()) return compact_json(json);
  for (const auto& [key, value] : json.items()) {
    parts.push_back(fmt::format("{}: {}", yaml_text(key), flow_yaml(value)));
  }
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

std::string workload_yaml(const Json& workload) {
  const std::string label = workload.at("label");
  Json entries = Json::object();
  if (!workload.contains("synthetic")) {
    const std::string path = workload.value("path", label);
    const bool has_label = label != path;
    if (!has_label && !workload.contains("window_days") && !names_model(path)) {
      return yaml_text(path);
    }
    entries["path"] = path;
    if (has_label) entries["label"] = label;
    if (workload.contains("window_days")) entries["window_days"] = workload["window_days"];
    return flow_yaml(entries);
  }
  for (const char* key : {"synthetic", "seed", "scale", "sampling", "window_days"}) {
    if (workload.contains(key)) entries[key] = workload[key];
  }
  entries["label"] = label;
  return flow_yaml(entries);
}

std::string host_yaml(const Json& host) {
  if (!host.contains("types")) return flow_yaml(host_entries(host));
  return flow_yaml(json_list_of(host["types"], host_entries));
}

std::string chain_yaml(const Json& chain) {
  const std::string label = chain.at("label");
  const Json& weighers = chain.at("weighers");
  const bool has_filters = chain.contains("filters");
  if (!has_filters && weighers.size() == 1 && weighers[0].at("multiplier") == 1) {
    return policy_yaml(weighers[0], label);
  }
  return fmt::format("{{label: {}, {}weighers: {}}}", yaml_text(label),
                     has_filters ? "filters: " + policies_yaml(chain["filters"]) + ", " : "",
                     policies_yaml(weighers));
}

std::string evictor_yaml(const Json& evictor) {
  return policy_yaml(evictor, evictor.at("label").get<std::string>());
}

}  // namespace cospot
