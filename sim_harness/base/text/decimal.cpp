#include "sim_harness/base/text/decimal.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace cospot {
namespace {

__extension__ using Wide = __int128;

/// 10^38 is the largest power of 10 that fits.
constexpr int kMostPower = 38;

Wide power_of_10(int power) {
  Wide result = 1;
  for (int i = 0; i < power; ++i) result *= 10;
  return result;
}

/// The exponent of `1.5e-7`, 0 without one. Any that a double does not hold was refused before.
int exponent_in(std::string_view text) {
  const std::size_t at = text.find_first_of("eE");
  if (at == std::string_view::npos) return 0;
  text.remove_prefix(at + 1);
  if (text.starts_with('+')) text.remove_prefix(1);
  int exponent = 0;
  std::from_chars(text.data(), text.data() + text.size(), exponent);
  return exponent;
}

}  // namespace

Decimal Decimal::of(double number) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return parse({text.data(), static_cast<std::size_t>(end - text.data())}).value_or(Decimal());
}

std::optional<Decimal> Decimal::parse(std::string_view text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || !std::isfinite(number)) return std::nullopt;
  Decimal decimal;
  decimal.exponent_ = exponent_in(text);
  int count = 0;
  bool is_fraction = false;
  for (const char c : text.substr(0, text.find_first_of("eE"))) {
    if (c == '.') is_fraction = true;
    if (c < '0' || c > '9') continue;
    const bool counts = count < kMostDigits;
    if (counts) decimal.digits_ = 10 * decimal.digits_ + (c - '0');
    if (counts && decimal.digits_ != 0) ++count;
    decimal.exponent_ += (counts ? 0 : 1) - (is_fraction ? 1 : 0);
  }
  if (text.starts_with('-')) decimal.digits_ = -decimal.digits_;
  while (decimal.digits_ != 0 && decimal.digits_ % 10 == 0) {  // so that equal numbers are equal
    decimal.digits_ /= 10;
    ++decimal.exponent_;
  }
  if (decimal.digits_ == 0) decimal.exponent_ = 0;
  return decimal;
}

double Decimal::number() const {
  std::array<char, 64> text{};
  char* end = text.data();
  const Wide size = digits_ < 0 ? -digits_ : digits_;
  for (Wide rest = size; rest > 0 || end == text.data(); rest /= 10) {
    *end++ = static_cast<char>('0' + static_cast<int>(rest % 10));
  }
  std::reverse(text.data(), end);
  *end++ = 'e';
  end = std::to_chars(end, text.data() + text.size(), exponent_).ptr;
  double number = 0;
  std::from_chars(text.data(), end, number);
  return digits_ < 0 ? -number : number;
}

SimTime Decimal::times_rounded_down(SimTime duration) const {
  const Wide product = digits_ * duration.count();
  if (exponent_ >= 0) return SimTime(static_cast<std::int64_t>(product * power_of_10(exponent_)));
  if (-exponent_ > kMostPower) return SimTime(0);
  return SimTime(static_cast<std::int64_t>(product / power_of_10(-exponent_)));
}

std::optional<SimTime> Decimal::days(SimTime most) const {
  // A day has 864 * 10^8 microseconds.
  Wide amount = (digits_ < 0 ? -digits_ : digits_) * 864;
  int power = exponent_ + 8;
  for (; power > 0 && amount != 0; --power) {
    if (amount > most.count()) return std::nullopt;
    amount *= 10;
  }
  if (power < -kMostPower) {
    amount = 0;
  } else if (power < 0) {
    const Wide unit = power_of_10(-power);
    amount = amount / unit + (amount % unit >= unit / 2 ? 1 : 0);
  }
  if (amount > most.count()) return std::nullopt;
  const SimTime time(static_cast<std::int64_t>(amount));
  return digits_ < 0 ? -time : time;
}

}  // namespace cospot
