#pragma once

#include <filesystem>
#include <vector>

#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/experiments/grid/axis.hpp"
#include "sim_harness/provider/disruptions/life_settings.hpp"

namespace cospot {

// The key `disruptions` of study and scenario files: docs/life.md.

/// One value: a mapping, or `none`. Reads its files; paths are relative to `folder`. Errors:
/// ConfigError, WorkloadError.
[[nodiscard]] LifeSettings read_life(const ConfigNode& node, const std::filesystem::path& folder);

/// All values of the axis, with distinct labels.
[[nodiscard]] std::vector<LifeSettings> read_lives(const ConfigNode& node,
                                                   const std::filesystem::path& folder);

/// With all defaults written out.
[[nodiscard]] Json setting_json(const LifeSettings& life);
/// Records what its files hold, each once.
void add_life_files(const LifeSettings& life, std::vector<InputRecord>& records);
[[nodiscard]] AxisValue axis_value(const LifeSettings& life);

/// The disruptions of a study file.
struct DisruptionSettings {
  std::vector<LifeSettings> lives{LifeSettings{}};
};

extern const Axis<DisruptionSettings, LifeSettings> kDisruptionsAxis;

/// Its entry of study_parts().
[[nodiscard]] struct StudyPart disruptions_part();

}  // namespace cospot
