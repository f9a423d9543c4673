#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim_harness/configuration/yaml_reader.hpp"
#include "sim_harness/results/column.hpp"
#include "sim_harness/results/experiment_record.hpp"

namespace cospot {

// Axes whose values are plain numbers or names: their columns, and their values as a configuration
// has them, a list under the axis's name.

[[nodiscard]] Column axis_column(const char* name, ColumnType type, const char* unit,
                                 const char* meaning);

/// Numbers. Errors: ConfigError.
[[nodiscard]] Axis number_axis(const ConfigNode& root, std::string_view name);

/// Plain text.
[[nodiscard]] Axis text_axis(const ConfigNode& root, std::string_view name);

/// Names, or mappings with a `label`, written to YAML as they are in the configuration.
[[nodiscard]] Axis name_axis(const ConfigNode& root, std::string_view name);

/// The list under `key` of a study file, or `or_else` without that key: distinct finite numbers in
/// [least, most].
[[nodiscard]] std::vector<double> read_numbers(const ConfigNode& root, std::string_view key,
                                               std::vector<double> or_else, double least,
                                               double most);

/// The list under `key` of a study file, or all of `names` without that key: distinct ones of them.
[[nodiscard]] std::vector<std::string> read_names(const ConfigNode& root, std::string_view key,
                                                  const std::vector<std::string>& names);

}  // namespace cospot
