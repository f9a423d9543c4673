#pragma once

#include <string>

namespace cospot {

/// A large amount for people: `123.4`, `1,234`, `50.8 M`, `2.3 G`.
[[nodiscard]] std::string amount_text(double amount);

/// The same of money: below a thousand with two decimals.
[[nodiscard]] std::string money_text(double amount);

}  // namespace cospot
