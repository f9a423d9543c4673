#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/sim_time.hpp"

namespace cospot {

/// The clock of a place: its offsets from UTC, from 1970 to 2099.
class TimeZone {
 public:
  /// UTC.
  TimeZone() = default;

  /// A zone of the system's tz database, such as `Europe/Berlin`; `where` begins its errors. Sets
  /// the environment variable TZ for a moment, so no other thread may use the environment.
  ///
  /// Errors: ConfigError for a name that the database lacks.
  [[nodiscard]] static TimeZone named(const std::string& name, std::string_view where);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool is_utc() const { return name_ == "UTC"; }

  /// The moment at which the zone's clocks show `local`. Clocks skip an hour in spring and repeat
  /// one in autumn: times in those hours count with the offset from before the change.
  [[nodiscard]] SimTime utc(SimTime local) const;

  friend bool operator==(const TimeZone&, const TimeZone&) = default;

 private:
  /// `offset` holds for clocks that show `from` or later.
  struct Change {
    SimTime from{0};
    SimTime offset{0};
    friend bool operator==(const Change&, const Change&) = default;
  };

  std::string name_ = "UTC";
  SimTime first_offset_{0};
  std::vector<Change> changes_;  ///< in order
};

/// Parses ISO 8601, `2024-05-01`, `2024-05-01T12:00:00.25Z`, `2024-05-01 12:00:00+02:00`, and
/// common variants: `2024/05/01 12:00`, `01.05.2024 12:00`. Without an offset it is a time of
/// `zone`. Microseconds since 1970.
[[nodiscard]] std::optional<SimTime> parse_date_time(std::string_view text,
                                                     const TimeZone& zone = {});

}  // namespace cospot
