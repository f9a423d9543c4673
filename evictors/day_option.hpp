#pragma once

#include <string_view>

#include "core/model/sim_time.hpp"
#include "core/policy/plugin.hpp"

namespace cospot {

/// Reads an option that gives a day, counted from the start of the window. Errors: ConfigError.
[[nodiscard]] SimTime read_day(const PluginOptions& options, std::string_view policy,
                               const char* key, double fallback);

}  // namespace cospot
