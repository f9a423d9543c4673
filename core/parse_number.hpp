#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace cospot {

/// Reads all of `text` as a whole number, without a plus sign or blanks. Nothing: it is none, or no
/// Integer holds it.
template <std::integral Integer>
[[nodiscard]] std::optional<Integer> parse_integer(std::string_view text) {
  Integer value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

/// Reads all of `text` as a finite decimal number such as 0.15 or 1.5e-1, without a plus sign or
/// blanks. Nothing: it is none, or no double holds it.
[[nodiscard]] inline std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// Reads a whole number that may be written as 4.0 or 4e3, as programs do that know only decimals.
[[nodiscard]] inline std::optional<std::int64_t> parse_whole(std::string_view text) {
  constexpr double kMostExact = 0x1p53;
  if (const auto whole = parse_integer<std::int64_t>(text)) return whole;
  const std::optional<double> number = parse_number(text);
  if (!number || std::abs(*number) > kMostExact || *number != std::floor(*number)) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(*number);
}

}  // namespace cospot
