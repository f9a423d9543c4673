#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cospot {

/// Revenue in vcpu-microseconds: the product of an instance's vcpus and its life inside the
/// window, summed exactly. 128 bits hold the whole zone (64 would overflow at about 2 %).
__extension__ using Revenue = __int128;

/// Revenue in vcpu-seconds as a decimal without rounding: at most six decimals, none trailing.
[[nodiscard]] std::string revenue_text(Revenue revenue);

/// Reads back what revenue_text wrote; nothing when `text` is anything else.
[[nodiscard]] std::optional<Revenue> parse_revenue(std::string_view text);

/// Revenue in vcpu-seconds as the nearest double, for averages and ratios.
[[nodiscard]] double vcpu_seconds(Revenue revenue);

}  // namespace cospot
