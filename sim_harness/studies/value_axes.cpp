#include "sim_harness/studies/value_axes.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "sim_harness/configuration/config_value.hpp"
#include "sim_harness/files/json_text.hpp"
#include "sim_harness/studies/provider/provider_keys.hpp"

namespace cospot {
namespace {

/// A part of a configuration as JSON, which is YAML on one line.
std::string flow_yaml(const ConfigNode& node) {
  switch (node.kind) {
    case ConfigNode::Kind::kNull:
      return "null";
    case ConfigNode::Kind::kScalar:
      return node.quoted ? json_text(node.text) : node.text;
    case ConfigNode::Kind::kList:
      return list_of(node.items, flow_yaml);
    case ConfigNode::Kind::kMapping:
      break;
  }
  JsonObject object;
  for (const ConfigEntry& entry : node.entries) object.add(entry.key, flow_yaml(entry.value));
  return object.text();
}

}  // namespace

Column axis_column(const char* name, ColumnType type, const char* unit, const char* meaning) {
  return {.name = name, .role = ColumnRole::kAxis, .type = type, .unit = unit, .meaning = meaning};
}

Axis number_axis(const ConfigNode& root, std::string_view name) {
  Axis axis{std::string(name), std::string(name), {}};
  for (const ConfigNode& item : require_key(root, "study", name).items) {
    axis.values.push_back({read_number(item, name), item.text, item.text});
  }
  return axis;
}

Axis text_axis(const ConfigNode& root, std::string_view name) {
  Axis axis{std::string(name), std::string(name), {}};
  for (const ConfigNode& item : require_key(root, "study", name).items) {
    axis.values.push_back({item.text, item.text, item.text});
  }
  return axis;
}

Axis name_axis(const ConfigNode& root, std::string_view name) {
  Axis axis{std::string(name), std::string(name), {}};
  for (const ConfigNode& item : require_key(root, "study", name).items) {
    const bool is_mapping = item.kind == ConfigNode::Kind::kMapping;
    const std::string& label = is_mapping ? require_key(item, name, "label").text : item.text;
    axis.values.push_back({label, label, flow_yaml(item)});
  }
  return axis;
}

std::vector<double> read_numbers(const ConfigNode& root, std::string_view key,
                                 std::vector<double> or_else, double least, double most) {
  const ConfigNode* node = root.find(key);
  if (node == nullptr) return or_else;
  return read_distinct(*node, key,
                       [&](const ConfigNode& item) { return read_number(item, key, least, most); });
}

std::vector<std::string> read_names(const ConfigNode& root, std::string_view key,
                                    const std::vector<std::string>& names) {
  const ConfigNode* node = root.find(key);
  if (node == nullptr) return names;
  return read_distinct(*node, key, [&](const ConfigNode& item) {
    const std::string name = read_text(item, key);
    if (std::find(names.begin(), names.end(), name) != names.end()) return name;
    throw_bad_value(item, key, fmt::format("one of: {}", fmt::join(names, ", ")));
  });
}

}  // namespace cospot
