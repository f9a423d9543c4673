#include "sim_harness/configuration/configuration_difference.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/configuration/yaml_reader.hpp"

namespace cospot {
namespace {

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
