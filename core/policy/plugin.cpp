#include "core/policy/plugin.hpp"

#include <algorithm>
#include <vector>

#include "core/errors.hpp"
#include "core/nearest_name.hpp"

namespace cospot {
namespace {

[[noreturn]] void throw_wrong_type(const std::string& policy, const std::string& key,
                                   std::string_view expected) {
  throw ConfigError(policy + ": option '" + key + "' must be " + std::string(expected));
}

}  // namespace

const PluginOptions::Value* PluginOptions::find(const std::string& key) const {
  if (std::find(known_keys_.begin(), known_keys_.end(), key) == known_keys_.end()) {
    known_keys_.push_back(key);
  }
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &found->second;
}

bool PluginOptions::read_bool(const std::string& key, bool fallback) const {
  const Value* value = find(key);
  if (value == nullptr) return fallback;
  if (const bool* flag = std::get_if<bool>(value)) return *flag;
  throw_wrong_type(policy_name_, key, "true or false");
}

double PluginOptions::read_number(const std::string& key, double fallback) const {
  const Value* value = find(key);
  if (value == nullptr) return fallback;
  if (const auto* integer = std::get_if<std::int64_t>(value)) return static_cast<double>(*integer);
  if (const auto* number = std::get_if<double>(value)) return *number;
  throw_wrong_type(policy_name_, key, "a number");
}

std::string PluginOptions::read_string(const std::string& key, const std::string& fallback) const {
  const Value* value = find(key);
  if (value == nullptr) return fallback;
  if (const auto* text = std::get_if<std::string>(value)) return *text;
  throw_wrong_type(policy_name_, key, "a text");
}

void PluginOptions::reject_unknown() const {
  for (const auto& [key, value] : values_) {
    if (std::find(known_keys_.begin(), known_keys_.end(), key) != known_keys_.end()) continue;
    const std::vector<std::string_view> known(known_keys_.begin(), known_keys_.end());
    throw ConfigError(
        policy_name_ + ": unknown option '" + key + "'; " +
        (known.empty() ? "it has no options" : valid_names_text(key, known, "valid options")));
  }
}

void throw_unknown_name(std::string_view kind, std::string_view name,
                        std::span<const std::string_view> valid_names) {
  throw ConfigError("unknown " + std::string(kind) + " '" + std::string(name) + "'; " +
                    valid_names_text(name, valid_names));
}

}  // namespace cospot
