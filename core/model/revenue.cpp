#include "core/model/revenue.hpp"

#include <cstdint>

namespace cospot {
namespace {

constexpr unsigned kMicrosecondsPerSecond = 1'000'000;
constexpr std::size_t kDecimals = 6;
/// The digits of 2^127 - 1 less one: a number of so many digits cannot overflow.
constexpr std::size_t kMaxDigits = 38;

__extension__ using Magnitude = unsigned __int128;

/// At least `width` decimal digits.
std::string digits_of(Magnitude value, std::size_t width) {
  std::string digits;
  for (; value != 0 || digits.size() < width; value /= 10) {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
  }
  return digits;
}

}  // namespace

std::string revenue_text(Revenue revenue) {
  const Magnitude size = revenue < 0 ? -static_cast<Magnitude>(revenue) : Magnitude(revenue);
  std::string text = revenue < 0 ? "-" : "";
  text += digits_of(size / kMicrosecondsPerSecond, 1);
  if (size % kMicrosecondsPerSecond == 0) return text;
  text += "." + digits_of(size % kMicrosecondsPerSecond, kDecimals);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

std::optional<Revenue> parse_revenue(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  const std::string_view fraction =
      point == std::string_view::npos ? std::string_view() : text.substr(point + 1);
  if (whole.empty() || fraction.size() > kDecimals || whole.size() > kMaxDigits - kDecimals ||
      (point != std::string_view::npos && fraction.empty())) {
    return std::nullopt;
  }
  Revenue value = 0;
  for (const std::string_view digits : {whole, fraction}) {
    for (const char digit : digits) {
      if (digit < '0' || digit > '9') return std::nullopt;
      value = value * 10 + (digit - '0');
    }
  }
  for (std::size_t i = fraction.size(); i < kDecimals; ++i) value *= 10;
  return negative ? -value : value;
}

double vcpu_seconds(Revenue revenue) { return static_cast<double>(revenue) / 1e6; }

}  // namespace cospot
