#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim_harness/configuration/yaml_reader.hpp"
#include "sim_harness/life/life_settings.hpp"
#include "sim_harness/results/experiment_record.hpp"

namespace cospot {

// The key `life` of study and scenario files: docs/life.md.

/// One value of it: a mapping, or `none`. Its files are read; paths are relative to `folder`.
/// Errors: ConfigError, WorkloadError.
[[nodiscard]] LifeSettings read_life(const ConfigNode& node, const std::filesystem::path& folder);

/// All values of the axis, with labels that differ.
[[nodiscard]] std::vector<LifeSettings> read_lives(const ConfigNode& node,
                                                   const std::filesystem::path& folder);

/// With every default written out; a file counts by what is in it.
[[nodiscard]] std::string life_json(const LifeSettings& life);

/// The axis of a configuration that holds a list of life_json under `life`.
[[nodiscard]] Axis life_axis(const ConfigNode& root);

}  // namespace cospot
