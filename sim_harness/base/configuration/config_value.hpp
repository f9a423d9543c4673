#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/policy/plugin.hpp"
#include "sim_harness/base/configuration/yaml_reader.hpp"

namespace cospot {

// Typed reads of configuration values. Each throws a ConfigError with the place, the key, what was
// found and what was expected.

/// The place and key of a value, for errors: `sweep.yaml:3: otn`; from Python, where a place
/// consists of keys, `sweep.otn[1]`.
[[nodiscard]] std::string key_place(const ConfigNode& node, std::string_view key);

[[noreturn]] void throw_bad_value(const ConfigNode& node, std::string_view key,
                                  std::string_view expected);

/// A renamed key, so that errors can point to its new name.
struct RenamedKey {
  std::string_view before, now;
};

/// Throws if `mapping` is not a mapping or has a key outside `valid_keys`. `subject` is what the
/// mapping describes.
void require_known_keys(const ConfigNode& mapping, std::string_view subject,
                        std::span<const std::string_view> valid_keys,
                        std::span<const RenamedKey> renamed = {});

/// The value of the required `key`.
[[nodiscard]] const ConfigNode& require_key(const ConfigNode& mapping, std::string_view subject,
                                            std::string_view key);

/// The elements of a non-empty list; a scalar or mapping counts as a list of one.
[[nodiscard]] std::vector<const ConfigNode*> read_list(const ConfigNode& node,
                                                       std::string_view key);

/// The labels of a list's values, each with the place of the first that has it.
class Labels {
 public:
  /// Errors: ConfigError if an earlier value has the label; `form` shows where one is given.
  void add(const std::string& label, const ConfigNode& value, std::string_view key,
           std::string_view form = {});

 private:
  std::map<std::string, std::string> places_;
};

[[noreturn]] void throw_duplicate(const ConfigNode& node, std::string_view key);

/// Reads a list of distinct values.
template <class Read>
[[nodiscard]] auto read_distinct(const ConfigNode& node, std::string_view key, const Read& read) {
  std::vector<decltype(read(node))> values;
  for (const ConfigNode* item : read_list(node, key)) {
    const auto value = read(*item);
    if (std::find(values.begin(), values.end(), value) != values.end()) {
      throw_duplicate(*item, key);
    }
    values.push_back(value);
  }
  return values;
}

/// A whole number in [least, most]; `or_else` describes other valid values, for the error.
[[nodiscard]] std::int64_t read_integer(const ConfigNode& node, std::string_view key,
                                        std::int64_t least, std::int64_t most,
                                        std::string_view or_else = {});
/// A whole number of at least 0.
[[nodiscard]] std::int64_t read_seed(const ConfigNode& node, std::string_view key);
/// A finite number in [least, most]; without bounds, any.
[[nodiscard]] double read_number(const ConfigNode& node, std::string_view key, double least,
                                 double most);
[[nodiscard]] double read_number(const ConfigNode& node, std::string_view key);
[[nodiscard]] bool read_bool(const ConfigNode& node, std::string_view key);
[[nodiscard]] std::string read_text(const ConfigNode& node, std::string_view key);

/// A text that is one of `names`.
[[nodiscard]] std::string read_name(const ConfigNode& node, std::string_view key,
                                    std::span<const std::string> names);

/// A text that needs no quoting in CSV: no comma, quote or control character.
[[nodiscard]] std::string read_label(const ConfigNode& node, std::string_view key);
[[nodiscard]] bool is_label(std::string_view text);

/// A policy's option, typed by its spelling: true/false, whole number, number or text.
[[nodiscard]] PluginOptions::Value read_option(const ConfigNode& node, std::string_view key);

}  // namespace cospot
