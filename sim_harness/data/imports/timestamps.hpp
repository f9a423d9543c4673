#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/model/sim_time.hpp"
#include "sim_harness/base/text/date_time.hpp"

namespace cospot {

/// The notation of times in a file: numbers since some origin (1970, or the trace's own), or ISO
/// 8601.
enum class TimeUnit : std::uint8_t { kSeconds, kMilliseconds, kMicroseconds, kDays, kIso };

/// Parses `s`, `ms`, `us`, `days` or `iso`. Errors: ConfigError with the valid ones.
[[nodiscard]] TimeUnit find_time_unit(std::string_view name);

/// The description of a time in this unit, for errors.
[[nodiscard]] std::string_view time_expected(TimeUnit unit);

/// Parses a point in time, to the microsecond, since the file's origin or 1970. Whole numbers are
/// exact. Dates without an offset are those of `zone`. Nothing: not such a time, or beyond 292,000
/// years.
[[nodiscard]] std::optional<SimTime> parse_time(std::string_view text, TimeUnit unit,
                                                const TimeZone& zone = {});

/// Parses a duration; in ISO files, seconds.
[[nodiscard]] std::optional<SimTime> parse_duration(std::string_view text, TimeUnit unit);

/// A point in time in the notation of options: a number, or ISO 8601.
[[nodiscard]] std::string time_option_text(SimTime time, TimeUnit unit);

/// A point in time for messages: as in options, with its unit.
[[nodiscard]] std::string time_text(SimTime time, TimeUnit unit);

}  // namespace cospot
