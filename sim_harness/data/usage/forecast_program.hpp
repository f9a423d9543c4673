#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>

#include "sim_harness/data/usage/forecast_file.hpp"

namespace cospot {

/// Gets forecasts that are not in a file from `python3 -m cospot.provider.economy` (statsmodels),
/// all in one call, and caches them by key in the folder `$COSPOT_CACHE/forecasts`, or
/// `cospot/forecasts` in `$XDG_CACHE_HOME` or `~/.cache`. So a study that is resumed, or split into
/// shards on one machine, reads the same values.
///
/// Args: file: known forecasts. processes: the number that Python may use. Returns: a forecast for
/// each task.
/// Errors: ConfigError without Python or statsmodels, for an unknown method, and for a file whose
/// forecasts are too short.
[[nodiscard]] ForecastTable forecasts_for(std::span<const ForecastTask> tasks,
                                          const std::optional<std::filesystem::path>& file,
                                          std::size_t processes);

}  // namespace cospot
