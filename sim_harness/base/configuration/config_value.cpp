#include "sim_harness/base/configuration/config_value.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <system_error>

#include "core/errors.hpp"
#include "core/nearest_name.hpp"
#include "core/parse_number.hpp"
#include "sim_harness/base/text/plain_text.hpp"

namespace cospot {
namespace {

/// A scalar for an error message, cut, as it may be a whole file that is no YAML.
std::string shown(const std::string& text) {
  constexpr std::size_t kMostBytes = 80;
  return quoted_excerpt(text, kMostBytes);
}

std::string found_text(const ConfigNode& node) {
  switch (node.kind) {
    case ConfigNode::Kind::kNull:
      return "nothing";
    case ConfigNode::Kind::kScalar:
      return (node.quoted ? "the text " : "") + shown(node.text);
    case ConfigNode::Kind::kList:
      return node.items.empty() ? "an empty list" : "a list";
    case ConfigNode::Kind::kMapping:
      return "a mapping";
  }
  return "nothing";
}

bool is_plain(const ConfigNode& node) {
  return node.kind == ConfigNode::Kind::kScalar && !node.quoted;
}

std::optional<std::int64_t> integer_in(const ConfigNode& node) {
  return is_plain(node) ? parse_integer<std::int64_t>(node.text) : std::nullopt;
}

std::optional<double> number_in(const ConfigNode& node) {
  return is_plain(node) ? parse_number(node.text) : std::nullopt;
}

std::optional<bool> parse_bool(const ConfigNode& node) {
  if (node.kind != ConfigNode::Kind::kScalar) return std::nullopt;
  // Writers of YAML 1.1 put the text `on` in quotes; without them it would be a truth value.
  if (node.text == "on") return true;
  if (node.text == "off") return false;
  if (node.quoted) return std::nullopt;
  if (node.text == "true") return true;
  if (node.text == "false") return false;
  return std::nullopt;
}

}  // namespace

std::string key_place(const ConfigNode& node, std::string_view key) {
  std::string place;  // without the positions in lists
  bool is_position = false;
  for (const char c : node.where) {
    is_position = is_position || c == '[';
    if (!is_position) place += c;
    if (c == ']') is_position = false;
  }
  const bool has_key = place.ends_with(key) &&
                       (place.size() == key.size() || place[place.size() - key.size() - 1] == '.');
  return has_key ? node.where : fmt::format("{}: {}", node.where, key);
}

void throw_bad_value(const ConfigNode& node, std::string_view key, std::string_view expected) {
  throw ConfigError(
      fmt::format("{}: found {}, expected {}", key_place(node, key), found_text(node), expected));
}

void Labels::add(const std::string& label, const ConfigNode& value, std::string_view key,
                 std::string_view form) {
  const auto [first, is_new] = places_.emplace(label, value.where);
  if (is_new) return;
  throw ConfigError(
      fmt::format("{}: duplicate label '{}', already used at {}; give one of them another{}{}",
                  key_place(value, key), label, first->second, form.empty() ? "" : ": ", form));
}

void throw_duplicate(const ConfigNode& node, std::string_view key) {
  throw ConfigError(fmt::format("{}: duplicate value {}", key_place(node, key), shown(node.text)));
}

void require_known_keys(const ConfigNode& mapping, std::string_view subject,
                        std::span<const std::string_view> valid_keys,
                        std::span<const RenamedKey> renamed) {
  const std::string names = fmt::format("{}", fmt::join(valid_keys, ", "));
  if (mapping.kind != ConfigNode::Kind::kMapping) {
    throw_bad_value(mapping, subject, "a mapping with the keys " + names);
  }
  for (const ConfigEntry& entry : mapping.entries) {
    if (std::find(valid_keys.begin(), valid_keys.end(), entry.key) != valid_keys.end()) continue;
    const bool is_place_made_of_keys = entry.where == mapping.where + "." + entry.key;
    const auto now = std::ranges::find(renamed, entry.key, &RenamedKey::before);
    throw ConfigError(
        fmt::format("{}: unknown key {}; {}",
                    is_place_made_of_keys ? key_place(mapping, subject)
                                          : fmt::format("{}: {}", entry.where, subject),
                    shown(entry.key),
                    now == renamed.end() ? valid_names_text(entry.key, valid_keys)
                                         : fmt::format("it is called '{}' now", now->now)));
  }
}

const ConfigNode& require_key(const ConfigNode& mapping, std::string_view subject,
                              std::string_view key) {
  const ConfigNode* value = mapping.find(key);
  if (value != nullptr) return *value;
  throw ConfigError(fmt::format("{}: missing key '{}'", key_place(mapping, subject), key));
}

std::vector<const ConfigNode*> read_list(const ConfigNode& node, std::string_view key) {
  if (node.kind == ConfigNode::Kind::kNull ||
      (node.kind == ConfigNode::Kind::kList && node.items.empty())) {
    throw_bad_value(node, key, "at least one value");
  }
  if (node.kind != ConfigNode::Kind::kList) return {&node};
  std::vector<const ConfigNode*> items;
  for (const ConfigNode& item : node.items) items.push_back(&item);
  return items;
}

namespace {

/// A hint about several values without brackets, as in `--set seed=1,2`.
std::string list_hint(const ConfigNode& node) {
  const bool has_several = node.kind == ConfigNode::Kind::kScalar && !node.quoted &&
                           node.text.find(',') != std::string::npos;
  return has_several
             ? fmt::format("; several values, where the key takes them, as a list: [{}]", node.text)
             : "";
}

}  // namespace

std::int64_t read_integer(const ConfigNode& node, std::string_view key, std::int64_t least,
                          std::int64_t most, std::string_view or_else) {
  const std::optional<std::int64_t> value = integer_in(node);
  if (value && *value >= least && *value <= most) return *value;
  throw_bad_value(
      node, key,
      fmt::format("a whole number from {} to {}{}{}", least, most, or_else, list_hint(node)));
}

double read_number(const ConfigNode& node, std::string_view key, double least, double most) {
  const std::optional<double> value = number_in(node);
  if (value && *value >= least && *value <= most) return *value + 0.0;  // + 0.0: no "-0"
  throw_bad_value(node, key, fmt::format("a number from {} to {}{}", least, most, list_hint(node)));
}

double read_number(const ConfigNode& node, std::string_view key) {
  const std::optional<double> value = number_in(node);
  if (value) return *value + 0.0;
  throw_bad_value(node, key, "a finite number");
}

bool read_bool(const ConfigNode& node, std::string_view key) {
  const std::optional<bool> value = parse_bool(node);
  if (value) return *value;
  throw_bad_value(node, key, "on or off" + list_hint(node));
}

std::string read_text(const ConfigNode& node, std::string_view key) {
  if (node.kind == ConfigNode::Kind::kScalar && !node.text.empty()) return node.text;
  throw_bad_value(node, key, "a text");
}

bool is_label(std::string_view text) {
  const auto breaks_csv = [](char c) {
    return c == ',' || c == '"' || c == '\'' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  };
  return !text.empty() && std::none_of(text.begin(), text.end(), breaks_csv);
}

std::int64_t read_seed(const ConfigNode& node, std::string_view key) {
  return read_integer(node, key, 0, std::numeric_limits<std::int64_t>::max());
}

std::string read_name(const ConfigNode& node, std::string_view key,
                      std::span<const std::string> names) {
  std::string name = read_text(node, key);
  if (std::find(names.begin(), names.end(), name) != names.end()) return name;
  throw_bad_value(node, key, fmt::format("one of: {}{}", fmt::join(names, ", "), list_hint(node)));
}

std::string read_label(const ConfigNode& node, std::string_view key) {
  std::string text = read_text(node, key);
  if (is_label(text)) return text;
  throw_bad_value(node, key, "a label without commas, quotes and control characters");
}

PluginOptions::Value read_option(const ConfigNode& node, std::string_view key) {
  if (node.kind != ConfigNode::Kind::kScalar) {
    throw_bad_value(node, key, "true, false, a number or a text");
  }
  if (const std::optional<bool> flag = parse_bool(node)) return *flag;
  if (const std::optional<std::int64_t> integer = integer_in(node)) return *integer;
  if (const std::optional<double> number = number_in(node)) return *number;
  return node.text;
}

}  // namespace cospot
