#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/model/resource_vector.hpp"
#include "core/model/sim_time.hpp"

namespace cospot {

/// How many spot instances were to be had, tick by tick.
struct AvailabilityTrace {
  SimTime tick{};                       ///< the length of each; above 0
  std::vector<std::uint32_t> capacity;  ///< instances to be had in each tick
  /// USD/h, mean over the time with capacity; none: the file states no prices.
  std::optional<double> spot_price{};
  /// Whose spots, and of which history (cospot signals --traces); nothing: the file does not say.
  std::optional<ResourceVector> flavor{};
  std::string history{};
  /// What is there at a multiple of so many ticks is a new spot; 0: never.
  std::size_t renewal_ticks = 0;

  [[nodiscard]] bool is_renewed_at(std::size_t at_tick) const {
    return renewal_ticks > 0 && at_tick % renewal_ticks == 0;
  }
  [[nodiscard]] SimTime length() const { return tick * static_cast<std::int64_t>(capacity.size()); }
};

inline constexpr SimTime kAvailabilityTick = std::chrono::seconds(300);

/// Reads `{"metadata": {"gap_seconds": 300, ...}, "data": [1, 0, 4, ...]}`, the format of the
/// public SkyPilot spot traces, plain or gzip; a file of a name with .csv in it as
/// read_availability_csv(). The metadata may name a flavor (`vcpus`, `memory_mb`), a `history`, and
/// in `new_spot_every_ticks` how old a spot gets that nobody evicts. What else is in it is ignored.
///
/// Errors: WorkloadError when a member is missing, gap_seconds is not above 0, there are no ticks,
/// or a tick is not a number that is at least 0.
[[nodiscard]] AvailabilityTrace read_availability_trace(const std::filesystem::path& file,
                                                        SimTime csv_tick = kAvailabilityTick);

/// Tells by its name whether a file is a CSV.
[[nodiscard]] bool is_availability_csv(const std::filesystem::path& file);

/// Reads a CSV with a header line and the columns time (ISO 8601 in UTC, or seconds), available
/// (instances to be had) and if need be price (USD/h of a spot, above 0; may be empty without
/// capacity), plain or gzip; other columns are ignored. A row holds until the next one, the last
/// one says when the trace ends. A tick has the least capacity that there is in it.
///
/// Repaired: rows in any order are sorted, a row that repeats another is dropped. Errors:
/// WorkloadError with `file:line:`.
[[nodiscard]] AvailabilityTrace read_availability_csv(const std::filesystem::path& file,
                                                      SimTime tick);

/// The same, as JSON.
[[nodiscard]] std::string availability_json(const AvailabilityTrace& trace);

/// A synthetic trace: capacity comes and goes in turn, for times drawn from a mixture of two
/// exponential distributions (so that short ones are many and long ones last: measured traces are
/// like that), whose means change with the hour of the day and with regimes that last for days.
struct AvailabilityModel {
  std::string name;
  std::string summary;
  double up_hours = 4;       ///< mean time for which there is capacity
  double down_hours = 2;     ///< mean time for which there is none
  double short_share = 0;    ///< the share of times that are short, a tenth of the mean
  double daily_swing = 0;    ///< 0 to 1: how much scarcer it is at noon than at midnight
  double regime_days = 0;    ///< mean length of a regime; 0: there is only one
  double regime_factor = 1;  ///< a regime divides or multiplies down_hours by it
};

/// The models that a study file can name.
[[nodiscard]] const std::vector<AvailabilityModel>& availability_models();

/// Errors: ConfigError that names the valid ones.
[[nodiscard]] const AvailabilityModel& find_availability_model(const std::string& name);

/// The same ticks for a seed on every machine.
[[nodiscard]] AvailabilityTrace make_availability(const AvailabilityModel& model,
                                                  std::uint64_t seed, SimTime length, SimTime tick);

}  // namespace cospot
