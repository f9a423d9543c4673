#include "sim_harness/studies/provider/configuration_yaml.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "sim_harness/configuration/config_value.hpp"

namespace cospot {
namespace {

std::string quoted_yaml(std::string_view text) {
  std::string yaml = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') yaml += '\\';
    yaml += c;
  }
  return yaml + '"';
}

/// A number, a truth value or a text, with the type it has in the JSON.
std::string scalar_yaml(const ConfigNode& node) {
  return node.quoted ? yaml_text(node.text) : node.text;
}

std::string mapping_yaml(const std::vector<std::string>& entries) {
  return fmt::format("{{{}}}", fmt::join(entries, ", "));
}

std::string totals_yaml(const ConfigNode& host) {
  std::vector<std::string> entries;
  for (const ConfigEntry& entry : host.entries) {
    if (entry.key == "disk_gb" && entry.value.text == "0") continue;
    entries.push_back(entry.key + ": " + entry.value.text);
  }
  return mapping_yaml(entries);
}

std::string list_yaml(const ConfigNode& list) {
  std::vector<std::string> items;
  for (const ConfigNode& item : list.items) items.push_back(scalar_yaml(item));
  return fmt::format("[{}]", fmt::join(items, ", "));
}

/// One type of hosts, without what it does not have.
std::string host_type_yaml(const ConfigNode& type) {
  std::vector<std::string> entries;
  for (const ConfigEntry& entry : type.entries) {
    const ConfigNode& value = entry.value;
    if (value.kind == ConfigNode::Kind::kList) {
      if (!value.items.empty()) entries.push_back(entry.key + ": " + list_yaml(value));
    } else if (value.kind == ConfigNode::Kind::kMapping) {
      std::vector<std::string> parts;
      for (const ConfigEntry& part : value.entries) {
        parts.push_back(yaml_text(part.key) + ": " + list_yaml(part.value));
      }
      if (!parts.empty()) entries.push_back(entry.key + ": " + mapping_yaml(parts));
    } else if (!value.text.empty() && (entry.key != "disk_gb" || value.text != "0")) {
      entries.push_back(entry.key + ": " + scalar_yaml(value));
    }
  }
  return mapping_yaml(entries);
}

std::string name_of(const ConfigNode& policy) { return require_key(policy, "policy", "name").text; }

/// A policy inside a list, or one that stands alone and has a label: `UTIL` or `{name: UTIL, ...}`.
std::string policy_yaml(const ConfigNode& policy, std::string_view label) {
  const std::string name = name_of(policy);
  std::vector<std::string> entries{"name: " + yaml_text(name)};
  if (label != name) entries.push_back("label: " + yaml_text(label));
  const ConfigNode* multiplier = policy.find("multiplier");
  if (multiplier != nullptr && multiplier->text != "1") {
    entries.push_back("multiplier: " + multiplier->text);
  }
  for (const ConfigEntry& option : require_key(policy, "policy", "options").entries) {
    entries.push_back(yaml_text(option.key) + ": " + scalar_yaml(option.value));
  }
  return entries.size() == 1 ? yaml_text(name) : mapping_yaml(entries);
}

std::string policies_yaml(const ConfigNode& policies) {
  std::vector<std::string> items;
  for (const ConfigNode& policy : policies.items) {
    items.push_back(policy_yaml(policy, name_of(policy)));
  }
  return fmt::format("[{}]", fmt::join(items, ", "));
}

/// Tells whether a YAML reader could take the bare word for something else than a text.
bool is_reserved(std::string_view text) {
  static constexpr std::array<std::string_view, 12> kReserved{
      "true", "false", "yes", "no", "on", "off", "null", "y", "n", "nan", "inf", "infinity"};
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::find(kReserved.begin(), kReserved.end(), lower) != kReserved.end();
}

}  // namespace

std::string yaml_text(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const bool plain = !text.empty() && is_letter(text.front()) && !is_reserved(text) &&
                     std::all_of(text.begin(), text.end(), [&](char c) {
                       return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
                              c == '.' || c == '/' || c == '+';
                     });
  return plain ? std::string(text) : quoted_yaml(text);
}

std::string workload_yaml(const ConfigNode& workload) {
  const std::string label = require_key(workload, "workload", "label").text;
  const ConfigNode* model = workload.find("synthetic");
  const ConfigNode* days = workload.find("window_days");
  if (model == nullptr && days == nullptr) return yaml_text(label);
  std::vector<std::string> entries;
  if (model == nullptr) {
    return mapping_yaml({"path: " + yaml_text(label), "window_days: " + days->text});
  }
  for (const char* key : {"synthetic", "seed", "scale", "sampling"}) {
    entries.push_back(
        fmt::format("{}: {}", key, scalar_yaml(require_key(workload, "workload", key))));
  }
  if (days != nullptr) entries.push_back("window_days: " + days->text);
  entries.push_back("label: " + yaml_text(label));
  return mapping_yaml(entries);
}

std::string host_yaml(const ConfigNode& host) {
  if (const ConfigNode* types = host.find("types")) {
    std::vector<std::string> items;
    for (const ConfigNode& type : types->items) items.push_back(host_type_yaml(type));
    return fmt::format("[{}]", fmt::join(items, ", "));
  }
  return totals_yaml(host);
}

std::string chain_yaml(const ConfigNode& chain) {
  const std::string label = require_key(chain, "chain", "label").text;
  const ConfigNode& weighers = require_key(chain, "chain", "weighers");
  const ConfigNode* filters = chain.find("filters");
  if (filters == nullptr && weighers.items.size() == 1 &&
      require_key(weighers.items.front(), "weigher", "multiplier").text == "1") {
    return policy_yaml(weighers.items.front(), label);
  }
  std::vector<std::string> entries{"label: " + yaml_text(label)};
  if (filters != nullptr) entries.push_back("filters: " + policies_yaml(*filters));
  entries.push_back("weighers: " + policies_yaml(weighers));
  return mapping_yaml(entries);
}

std::string evictor_yaml(const ConfigNode& evictor) {
  return policy_yaml(evictor, require_key(evictor, "evictor", "label").text);
}

}  // namespace cospot
