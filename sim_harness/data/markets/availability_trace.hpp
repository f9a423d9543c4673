#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/sim_time.hpp"

namespace cospot {

/// The number of available spot instances, tick by tick.
struct AvailabilityTrace {
  SimTime tick{};                       ///< duration of each tick; above 0
  std::vector<std::uint32_t> capacity;  ///< available instances in each tick
  /// USD/h, mean over the time with capacity; none: the file states no prices.
  std::optional<double> spot_price{};
  /// USD/h, mean over each tick with capacity; empty: `spot_price` at all times.
  std::vector<double> prices{};

  [[nodiscard]] SimTime length() const { return tick * static_cast<std::int64_t>(capacity.size()); }
};

/// Refuses a trace that is longer than a workload's window can be, or has more than 10,000,000
/// ticks. Errors: WorkloadError that starts with `file`.
void require_few_ticks(SimTime length, SimTime tick, std::string_view file);

inline constexpr SimTime kAvailabilityTick = std::chrono::seconds(300);

/// Reads `{"metadata": {"gap_seconds": 300, ...}, "data": [1, 0, 4, ...]}`, the format of the
/// public SkyPilot spot traces, plain or gzip; a file with .csv in its name as
/// read_availability_csv(). Other members are ignored.
///
/// Errors: WorkloadError if a member is missing, gap_seconds is not above 0, there are no ticks, or
/// a tick is not a number of at least 0.
[[nodiscard]] AvailabilityTrace read_availability_trace(const std::filesystem::path& file,
                                                        SimTime csv_tick = kAvailabilityTick,
                                                        std::string_view csv_type = {});

/// Tells by its name whether a file is a CSV.
[[nodiscard]] bool is_availability_csv(const std::filesystem::path& file);

/// Reads a CSV with a header line and the columns time (ISO 8601 in UTC, or seconds), available
/// (number of instances) and optionally price (USD/h of a spot, above 0; may be empty without
/// capacity), currency (USD or empty) and type (only rows of `type` count), plain or gzip; other
/// columns are ignored. A row holds until the next one of its type; the file's last row marks the
/// end of the trace. A tick's capacity is the minimum over the tick.
///
/// Repairs: sorts rows and drops repeated ones. Errors: WorkloadError with `file:line:`.
[[nodiscard]] AvailabilityTrace read_availability_csv(const std::filesystem::path& file,
                                                      SimTime tick, std::string_view type = {});

/// The values of the column `type` of such a CSV, in order of appearance; none without the column.
[[nodiscard]] std::vector<std::string> availability_types(const std::filesystem::path& file);

/// A synthetic trace. Times with and without capacity alternate, drawn from a mixture of two
/// exponential distributions (many short times and a few long ones, as in measured traces). Their
/// means vary with the hour of the day and with regimes that last for days.
struct AvailabilityModel {
  std::string name;
  std::string summary;
  double up_hours = 4;       ///< mean time with capacity
  double down_hours = 2;     ///< mean time without capacity
  double short_share = 0;    ///< fraction of times that are short: a tenth of the mean
  double daily_swing = 0;    ///< 0 to 1: additional scarcity at noon compared with midnight
  double regime_days = 0;    ///< mean duration of a regime; 0: only one regime
  double regime_factor = 1;  ///< a regime divides or multiplies down_hours by this
};

/// The models that a study file can name.
[[nodiscard]] const std::vector<AvailabilityModel>& availability_models();

/// Errors: ConfigError that lists the valid names.
[[nodiscard]] const AvailabilityModel& find_availability_model(const std::string& name);

/// A seed gives the same ticks on every machine.
[[nodiscard]] AvailabilityTrace make_availability(const AvailabilityModel& model,
                                                  std::uint64_t seed, SimTime length, SimTime tick);

}  // namespace cospot
