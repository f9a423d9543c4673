#include "sim_harness/base/configuration/configuration_difference.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <vector>

namespace cospot {

Json identity_of(const std::string& configuration) {
  Json json = Json::parse(configuration, nullptr, false);
  if (!json.contains("workloads")) return json;
  for (Json& workload : json["workloads"]) {
    if (workload.is_string()) workload = Json{{"path", workload}};
    if (!workload.contains("path") || !workload.contains("label")) continue;
    workload["path"] = workload["label"];
    workload.erase("label");
  }
  return json;
}

std::string describe_difference(const std::string& one, const std::string& other) {
  const Json left = identity_of(one), right = identity_of(other);
  std::vector<std::string> keys;
  for (const auto& [key, value] : right.items()) {
    if (left.is_object() && (!left.contains(key) || left[key] != value)) keys.push_back(key);
  }
  return keys.empty() ? "its configuration" : fmt::format("{}", fmt::join(keys, ", "));
}

}  // namespace cospot
