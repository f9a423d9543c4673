#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim_harness/workloads/workload.hpp"

namespace cospot {

/// Revenue in vcpu-seconds as a decimal without rounding: at most six decimals, none trailing.
[[nodiscard]] std::string revenue_text(Revenue revenue);

/// Reads back what revenue_text wrote; nothing when `text` is anything else.
[[nodiscard]] std::optional<Revenue> parse_revenue(std::string_view text);

/// Revenue in vcpu-seconds as the nearest double, for averages and ratios.
[[nodiscard]] double vcpu_seconds(Revenue revenue);

}  // namespace cospot
