#pragma once

#include <cstdint>
#include <string>

namespace cospot {

/// A number as digits, with separators: `-1234.50` is `-1,234.50`.
[[nodiscard]] std::string with_commas(std::string number);

/// A large amount for people: `123.4`, `1,234`, `50.8 M`, `2.3 G`.
[[nodiscard]] std::string amount_text(double amount);

/// A count to its last digit: `1,234,567`.
[[nodiscard]] std::string count_text(std::int64_t count);

/// A large amount of money: below a thousand with two decimals.
[[nodiscard]] std::string money_text(double amount);

}  // namespace cospot
