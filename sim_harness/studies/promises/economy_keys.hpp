#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/experiments/grid/axis.hpp"
#include "sim_harness/studies/promises/economy.hpp"

namespace cospot {

/// The study file's keys for making and checking promises (docs/economy.md).
[[nodiscard]] std::vector<std::string_view> economy_keys();

/// Reads the keys present in `root`; the others default to the paper's values. Paths are relative
/// to `folder`. Errors: ConfigError.
[[nodiscard]] EconomySettings read_economy_settings(const ConfigNode& root,
                                                    const std::filesystem::path& folder);

/// All settings; a file of forecasts is identified by its values, recorded as a separate input.
[[nodiscard]] Json economy_json(const EconomySettings& settings);

/// The keys as a setting of a study.
template <class Settings>
[[nodiscard]] Setting<Settings> economy_setting(EconomySettings Settings::*member) {
  return {.keys = economy_keys(),
          .read =
              [member](const StudyFile& file, Settings& settings) {
                settings.*member = read_economy_settings(file.root, file.folder);
              },
          .write =
              [member](const Settings& settings, Json& configuration) {
                configuration.update(economy_json(settings.*member));
              }};
}

}  // namespace cospot
