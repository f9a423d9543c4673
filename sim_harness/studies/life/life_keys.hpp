#pragma once

#include <filesystem>
#include <vector>

#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/provider/disruptions/life_settings.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"

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

/// A file of the study `life`, read.
struct LifeStudySettings : ProviderSettings {
  std::vector<LifeSettings> lives{};
};

extern const Axis<LifeStudySettings, LifeSettings> kDisruptionsAxis;

[[nodiscard]] const SettingTable<LifeStudySettings>& life_table();

}  // namespace cospot
