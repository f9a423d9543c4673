#include "sim_harness/base/text/amount_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace cospot {
std::string with_commas(std::string number) {
  const std::size_t first = number.starts_with('-') ? 1 : 0;
  std::size_t at = std::min(number.find('.'), number.size());
  while (at > first + 3) number.insert(at -= 3, ",");
  return number;
}

std::string amount_text(double amount) {
  constexpr std::array<std::pair<double, const char*>, 4> kSteps{
      {{1e15, " P"}, {1e12, " T"}, {1e9, " G"}, {1e6, " M"}}};
  for (const auto& [step, sign] : kSteps) {
    if (std::abs(amount) >= step) return fmt::format("{:.1f}{}", amount / step, sign);
  }
  const int decimals = std::abs(amount) < 1000 ? 1 : 0;
  return with_commas(fmt::format("{:.{}f}", amount, decimals));
}

std::string count_text(std::int64_t count) { return with_commas(fmt::format("{}", count)); }

std::string money_text(double amount) {
  if (std::abs(amount) < 1000) return fmt::format("{:.2f}", amount);
  return amount_text(amount);
}

}  // namespace cospot
