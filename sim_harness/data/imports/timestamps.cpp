#include "sim_harness/data/imports/timestamps.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>
#include <utility>

#include "core/errors.hpp"
#include "core/parse_number.hpp"
#include "sim_harness/data/workloads/workload.hpp"

namespace cospot {
namespace {

struct UnitInfo {
  TimeUnit unit;
  std::string_view name;
  std::int64_t microseconds;
  std::string_view expected;
};

constexpr std::array<UnitInfo, 5> kUnits{
    {{TimeUnit::kSeconds, "s", 1'000'000, "a number of seconds"},
     {TimeUnit::kMilliseconds, "ms", 1'000, "a number of milliseconds"},
     {TimeUnit::kMicroseconds, "us", 1, "a number of microseconds"},
     {TimeUnit::kDays, "days", 86'400'000'000, "a number of days"},
     {TimeUnit::kIso, "iso", 1'000'000, "a time such as 2024-05-01T12:00:00Z"}}};

const UnitInfo& unit_info(TimeUnit unit) { return kUnits[static_cast<std::size_t>(unit)]; }

/// `number` units to the nearest microsecond; whole numbers exactly.
std::optional<SimTime> scaled(std::string_view text, std::int64_t microseconds) {
  constexpr double kMost = 9.2e18;
  if (const auto whole = parse_integer<std::int64_t>(text)) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(*whole, microseconds, &product)) return std::nullopt;
    return SimTime(product);
  }
  const std::optional<double> number = parse_number(text);
  if (!number) return std::nullopt;
  const double product = *number * static_cast<double>(microseconds);
  if (std::abs(product) > kMost) return std::nullopt;
  return SimTime(std::llround(product));
}

}  // namespace

TimeUnit find_time_unit(std::string_view name) {
  for (const UnitInfo& info : kUnits) {
    if (info.name == name) return info.unit;
  }
  throw ConfigError(
      fmt::format("--time-unit: found '{}', expected one of: s, ms, us, days, iso", name));
}

std::string_view time_expected(TimeUnit unit) { return unit_info(unit).expected; }

std::optional<SimTime> parse_time(std::string_view text, TimeUnit unit, const TimeZone& zone) {
  if (unit == TimeUnit::kIso) return parse_date_time(text, zone);
  return scaled(text, unit_info(unit).microseconds);
}

std::optional<SimTime> parse_duration(std::string_view text, TimeUnit unit) {
  return scaled(text, unit_info(unit).microseconds);
}

std::string time_option_text(SimTime time, TimeUnit unit) {
  if (unit == TimeUnit::kIso) return time_text(time, unit);
  return fmt::format(
      "{}", static_cast<double>(time.count()) / static_cast<double>(unit_info(unit).microseconds));
}

std::string time_text(SimTime time, TimeUnit unit) {
  if (unit != TimeUnit::kIso) {
    return fmt::format("{} {}", time_option_text(time, unit), unit_info(unit).name);
  }
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{std::chrono::sys_days(day)};
  const auto second = std::chrono::floor<std::chrono::seconds>(time - day);
  std::string text =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  second.count() / 3600, second.count() / 60 % 60, second.count() % 60);
  const std::int64_t fraction = (time - day - second).count();
  if (fraction != 0) text += fmt::format(".{:06}", fraction);
  return text + "Z";
}

}  // namespace cospot
