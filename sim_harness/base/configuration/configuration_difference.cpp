#include "sim_harness/base/configuration/configuration_difference.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <vector>

#include "sim_harness/base/json/json.hpp"

namespace cospot {

std::string describe_difference(const std::string& one, const std::string& other) {
  const Json left = Json::parse(one, nullptr, false), right = Json::parse(other, nullptr, false);
  std::vector<std::string> keys;
  for (const auto& [key, value] : right.items()) {
    if (left.is_object() && (!left.contains(key) || left[key] != value)) keys.push_back(key);
  }
  return keys.empty() ? "its configuration" : fmt::format("{}", fmt::join(keys, ", "));
}

}  // namespace cospot
