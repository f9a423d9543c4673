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

// The window: the days from time 0 in which instances earn (docs/semantics.md, "The window"). In
// order of precedence it comes from a command, a sweep file, the workload file, or derive_window.

/// The default window of requests: whole days, so that the last request starts inside it, and at
/// least kDefaultWindow. Ends do not count, because most traces record ends long after they stopped
/// recording requests.
[[nodiscard]] SimTime derive_window(std::span<const WorkloadRow> rows);

/// The valid values, for errors that start with `expected `.
inline constexpr std::string_view kWindowDaysExpected =
    "a number of days more than 0, at most 10001";

/// Parses days as a decimal number, to the nearest microsecond. Nothing: not such a number.
[[nodiscard]] std::optional<SimTime> parse_window_days(std::string_view text);

/// The same for a number. Nothing: NaN, 0 or less, or more than 10,001 days.
[[nodiscard]] std::optional<SimTime> window_of_days(double days);

/// The shortest decimal number of days that reads back as `window`, such as "30" or "13.97".
[[nodiscard]] std::string window_days_text(SimTime window);

/// Sets a stated window of `workload`.
void state_window(Workload& workload, SimTime window);

/// Sets the window to `stated`, if given.
void state_window(Workload& workload, const std::optional<SimTime>& stated);

/// The requests that a workload's window leaves out or has to guess. Arrays: VMs, then spots.
struct WindowCoverage {
  std::array<std::uint64_t, 2> early{};    ///< requests that start before time 0
  std::array<std::uint64_t, 2> outside{};  ///< that start at or after the window's end
  std::array<std::uint64_t, 2> unended{};  ///< that start inside or before, and never end
  SimTime last_observed{0};                ///< the latest start or end in the data
};
[[nodiscard]] WindowCoverage cover_window(const Workload& workload);

/// Warnings about the window for users of figures over this workload, one sentence each, starting
/// with its name: requests outside, a cold start, unobserved days, days after the last counted
/// life. Empty if there are none.
[[nodiscard]] std::vector<std::string> window_warnings(const Workload& workload);

}  // namespace cospot
