#pragma once

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <string>

namespace cospot {

/// Checks that an option is a number from `least` to `most`. CLI::Range lets NaN through, which
/// compares with nothing.
[[nodiscard]] inline CLI::Validator number_between(double least, double most) {
  const auto check = [least, most](std::string& text) -> std::string {
    double value = 0;
    if (CLI::detail::lexical_cast(text, value) && value >= least && value <= most) return {};
    return fmt::format("found '{}', expected a number from {} to {}", text, least, most);
  };
  return {check, fmt::format("FLOAT in [{} - {}]", least, most)};
}

}  // namespace cospot
