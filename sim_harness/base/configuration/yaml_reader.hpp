#pragma once

#include <any>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace cospot {

struct ConfigEntry;

/// A value of a configuration file, with its place for errors.
struct ConfigNode {
  enum class Kind : std::uint8_t { kNull, kScalar, kList, kMapping };

  Kind kind = Kind::kNull;
  std::string where;                 ///< `sweep.yaml:3` or `--set otn=1`
  std::string text;                  ///< of a scalar, as written (without its quotes)
  bool quoted = false;               ///< a quoted scalar is always a text
  std::vector<ConfigNode> items;     ///< of a list
  std::vector<ConfigEntry> entries;  ///< of a mapping, in file order; keys are unique
  std::any given{};                  ///< a caller's own value, such as a workload; `text` names it

  /// The value under `key` of a mapping, or nullptr.
  [[nodiscard]] const ConfigNode* find(std::string_view key) const;
};

struct ConfigEntry {
  std::string key;
  std::string where;  ///< place of the key; the value may start on a later line
  ConfigNode value;
};

/// Reads one YAML document. `source` is the file's name in errors (`source:line:`).
///
/// Errors: ConfigError for a syntax error, a duplicate key, a key that is not a scalar, more than
/// one document, an alias inside its own anchor, and an implausibly large text (so that no input
/// exhausts memory).
[[nodiscard]] ConfigNode parse_yaml(const std::string& text, const std::string& source);

/// True if the name of a file says that it is YAML.
[[nodiscard]] bool is_yaml_file(const std::filesystem::path& file);

/// Reads a YAML file. Errors: ConfigError, also if the file is missing or unreadable.
[[nodiscard]] ConfigNode read_yaml_file(const std::filesystem::path& file);

/// Adds the entries of a YAML mapping whose keys are missing.
void add_missing_keys(ConfigNode& root, std::string_view mapping);

/// Applies `key=value` as given to `--set`: the value is YAML, the key may be dotted
/// (`host.vcpus`). Replaces an existing key and adds a missing one.
void apply_override(ConfigNode& root, const std::string& assignment);

}  // namespace cospot
