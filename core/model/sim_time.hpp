#pragma once

#include <chrono>
#include <cstdint>
#include <ratio>

namespace cospot {

/// A point in time or a duration, in whole microseconds since the start of the observation
/// window. Negative points lie before the window. Microseconds keep apart every two distinct
/// times of the released traces (the closest are about a millisecond apart) and sum exactly.
using SimTime = std::chrono::duration<std::int64_t, std::micro>;

/// The end of an instance that never ended while it was watched.
inline constexpr SimTime kNever = SimTime::max();

inline constexpr SimTime kDay = std::chrono::hours(24);

[[nodiscard]] constexpr double hours_of(SimTime time) {
  return std::chrono::duration<double, std::ratio<3600>>(time).count();
}

/// The nearest microsecond.
[[nodiscard]] constexpr SimTime time_of_hours(double hours) {
  return std::chrono::round<SimTime>(std::chrono::duration<double, std::ratio<3600>>(hours));
}

}  // namespace cospot
