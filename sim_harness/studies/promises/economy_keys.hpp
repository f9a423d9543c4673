#pragma once

#include <array>
#include <filesystem>
#include <string_view>

#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/studies/promises/economy.hpp"

namespace cospot {

/// The study file's keys for making and checking promises (docs/economy.md).
inline constexpr std::array<std::string_view, 18> kEconomyKeys{"period_hours",
                                                               "training_days",
                                                               "horizon_days",
                                                               "step_days",
                                                               "season_days",
                                                               "gaps",
                                                               "clamp",
                                                               "capacity",
                                                               "forecasts",
                                                               "bill_days",
                                                               "penalty_percent",
                                                               "penalty_below_percent",
                                                               "penalty_at_threshold",
                                                               "penalty_on",
                                                               "sellable_slack",
                                                               "opportunistic_price",
                                                               "resource",
                                                               "time_zone"};

/// Reads the keys present in `root`; the others default to the paper's values. Paths are relative
/// to `folder`. Errors: ConfigError.
[[nodiscard]] EconomySettings read_economy_settings(const ConfigNode& root,
                                                    const std::filesystem::path& folder);

/// All settings; a file of forecasts is identified by its values, recorded as a separate input.
[[nodiscard]] Json economy_json(const EconomySettings& settings);

}  // namespace cospot
