#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/model/sim_time.hpp"

namespace cospot {

/// How many spot instances were to be had, tick by tick.
struct AvailabilityTrace {
  SimTime tick{};                       ///< the length of each; above 0
  std::vector<std::uint32_t> capacity;  ///< instances to be had in each tick

  [[nodiscard]] SimTime length() const { return tick * static_cast<std::int64_t>(capacity.size()); }
};

/// Reads `{"metadata": {"gap_seconds": 300, ...}, "data": [1, 0, 4, ...]}`, the format of the
/// public SkyPilot spot traces, plain or gzip. What else is in it is ignored.
///
/// Errors: WorkloadError when a member is missing, gap_seconds is not above 0, there are no ticks,
/// or a tick is not a number that is at least 0.
[[nodiscard]] AvailabilityTrace read_availability_trace(const std::filesystem::path& file);

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
