#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim_harness/data/workloads/workload.hpp"

namespace cospot {

// The window: the days from time 0 on in which instances earn (docs/semantics.md, "The window").
// Who states it, the strongest first: a command, a sweep file, the workload file; otherwise
// derive_window.

/// The window of requests of which nobody stated one: whole days, so that the last request starts
/// inside, and at least kDefaultWindow. Ends do not count: most traces watch for ends long after
/// they stopped recording requests.
[[nodiscard]] SimTime derive_window(std::span<const WorkloadRow> rows);

/// What a window may be, for errors: `expected ` and this.
inline constexpr std::string_view kWindowDaysExpected =
    "a number of days more than 0, at most 10001";

/// Reads days as a decimal number, to the nearest microsecond. Nothing: not such a number.
[[nodiscard]] std::optional<SimTime> parse_window_days(std::string_view text);

/// The same of a number. Nothing: NaN, not more than 0 or more than 10,001 days.
[[nodiscard]] std::optional<SimTime> window_of_days(double days);

/// The shortest decimal number of days that reads back as `window`, such as "30" or "13.97".
[[nodiscard]] std::string window_days_text(SimTime window);

/// Gives `workload` a window that somebody stated.
void state_window(Workload& workload, SimTime window);

/// Takes `stated` for the window when there is one; what the workload has otherwise stays.
void state_window(Workload& workload, const std::optional<SimTime>& stated);

/// What of a workload its window leaves out or guesses. Arrays: VMs, then spots.
struct WindowCoverage {
  std::array<std::uint64_t, 2> early{};    ///< requests that start before time 0
  std::array<std::uint64_t, 2> outside{};  ///< that start at the window's end or later
  std::array<std::uint64_t, 2> unended{};  ///< that start inside or before, and never ended
  SimTime last_observed{0};                ///< the latest start or end in the data
};
[[nodiscard]] WindowCoverage cover_window(const Workload& workload);

/// What the user of figures over this workload should know of its window, a sentence each that
/// begins with the workload's name: requests that fall outside, a cold start, days that nobody
/// observed, days to which no life is counted. Empty when there is nothing to tell.
[[nodiscard]] std::vector<std::string> window_warnings(const Workload& workload);

}  // namespace cospot
