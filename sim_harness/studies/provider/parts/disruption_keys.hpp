#pragma once

#include <filesystem>
#include <vector>

#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/experiments/grid/axis.hpp"
#include "sim_harness/provider/disruptions/life_settings.hpp"

namespace cospot {

// The key `disruptions` of study and scenario files: docs/life.md.

/// One value of it: a mapping, or `none`. Its files are read; paths are relative to `folder`.
/// Errors: ConfigError, WorkloadError.
[[nodiscard]] LifeSettings read_life(const ConfigNode& node, const std::filesystem::path& folder);

/// All values of the axis, with labels that differ.
[[nodiscard]] std::vector<LifeSettings> read_lives(const ConfigNode& node,
                                                   const std::filesystem::path& folder);

/// With every default written out; a file counts by what is in it.
[[nodiscard]] Json setting_json(const LifeSettings& life);
[[nodiscard]] AxisValue axis_value(const LifeSettings& life);

/// What a file says of them.
struct DisruptionSettings {
  std::vector<LifeSettings> lives{LifeSettings{}};
};

extern const Axis<DisruptionSettings, LifeSettings> kDisruptionsAxis;

}  // namespace cospot
