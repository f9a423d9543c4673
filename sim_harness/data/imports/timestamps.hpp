#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/model/sim_time.hpp"

namespace cospot {

/// How a file writes points in time: numbers since some start (1970, or the trace's own), or ISO
/// 8601.
enum class TimeUnit : std::uint8_t { kSeconds, kMilliseconds, kMicroseconds, kDays, kIso };

/// Reads `s`, `ms`, `us`, `days` or `iso`. Errors: ConfigError with the valid ones.
[[nodiscard]] TimeUnit find_time_unit(std::string_view name);

/// What is expected of a time in this unit, for errors.
[[nodiscard]] std::string_view time_expected(TimeUnit unit);

/// Reads a point in time, to the microsecond, since the file's start or 1970. Whole numbers are
/// exact. Nothing: not such a time, or beyond 292,000 years.
[[nodiscard]] std::optional<SimTime> parse_time(std::string_view text, TimeUnit unit);

/// Reads a length of time; in ISO files seconds.
[[nodiscard]] std::optional<SimTime> parse_duration(std::string_view text, TimeUnit unit);

/// Reads ISO 8601, `2024-05-01`, `2024-05-01T12:00:00.25Z`, `2024-05-01 12:00:00+02:00`, and what
/// tables have in its place: `2024/05/01 12:00`, `01.05.2024 12:00`. UTC where no offset stands.
/// Microseconds since 1970.
[[nodiscard]] std::optional<SimTime> parse_date_time(std::string_view text);

/// A point in time as an option takes it: a number, or ISO 8601.
[[nodiscard]] std::string time_option_text(SimTime time, TimeUnit unit);

/// A point in time for people: as an option takes it, with its unit.
[[nodiscard]] std::string time_text(SimTime time, TimeUnit unit);

}  // namespace cospot
