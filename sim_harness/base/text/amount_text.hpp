#pragma once

#include <cstdint>
#include <string>

namespace cospot {

/// Adds thousands separators: `-1234.50` gives `-1,234.50`.
[[nodiscard]] std::string with_commas(std::string number);

/// A large amount, shortened: `123.4`, `1,234`, `50.8 M`, `2.3 G`.
[[nodiscard]] std::string amount_text(double amount);

/// An exact count: `1,234,567`.
[[nodiscard]] std::string count_text(std::int64_t count);

/// A large amount of money, with two decimals below a thousand.
[[nodiscard]] std::string money_text(double amount);

}  // namespace cospot
