#pragma once

#include <optional>
#include <string_view>

#include "core/model/sim_time.hpp"

namespace cospot {

/// Parses ISO 8601, `2024-05-01`, `2024-05-01T12:00:00.25Z`, `2024-05-01 12:00:00+02:00`, and
/// common variants: `2024/05/01 12:00`, `01.05.2024 12:00`. UTC without an offset. Microseconds
/// since 1970.
[[nodiscard]] std::optional<SimTime> parse_date_time(std::string_view text);

}  // namespace cospot
