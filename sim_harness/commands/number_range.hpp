#pragma once

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "core/parse_number.hpp"

namespace cospot {

/// Checks that an option is a number from `least` to `most`. CLI::Range lets NaN through, which
/// compares with nothing.
[[nodiscard]] inline CLI::Validator number_between(double least, double most) {
  const auto check = [least, most](std::string& text) -> std::string {
    const std::optional<double> value = parse_number(text);
    if (value && *value >= least && *value <= most) return {};
    return fmt::format("found '{}', expected a number from {} to {}", text, least, most);
  };
  return {check, fmt::format("FLOAT in [{} - {}]", least, most)};
}

}  // namespace cospot
