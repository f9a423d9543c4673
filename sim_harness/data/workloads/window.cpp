#include "sim_harness/data/workloads/window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>

#include "sim_harness/base/text/decimal.hpp"
#include "sim_harness/data/workloads/rounded_days.hpp"
#include "sim_harness/data/workloads/workload_schema.hpp"

namespace cospot {
namespace {

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string both_classes(const std::array<std::uint64_t, 2>& counts) {
  return fmt::format("{} and {}", counted(counts[0], "VM"), counted(counts[1], "spot"));
}

/// The longest time after the last observation at which a window may end without a warning. A
/// window that is derived from a request beyond day 14 ends within a day of it.
constexpr SimTime kUnobservedAllowed = kDay;

std::optional<SimTime> window_of(const Decimal& days) {
  const std::optional<SimTime> window = days.days(kMaxWindow);
  return window && *window > SimTime(0) ? window : std::nullopt;
}

}  // namespace

SimTime derive_window(std::span<const WorkloadRow> rows) {
  SimTime last = SimTime::min();
  for (const WorkloadRow& row : rows) last = std::max(last, row.start);
  if (last < kDefaultWindow) return kDefaultWindow;
  // The end is no longer inside: a request at midnight needs the day that begins then.
  return (last / kDay + 1) * kDay;
}

std::optional<SimTime> window_of_days(double days) {
  return std::isfinite(days) ? window_of(Decimal::of(days)) : std::nullopt;
}

std::optional<SimTime> parse_window_days(std::string_view text) {
  const std::optional<Decimal> days = Decimal::parse(text);
  return days ? window_of(*days) : std::nullopt;
}

std::string rounded_days_text(SimTime time) {
  std::string text = fmt::format("{:.3f}", static_cast<double>(time.count()) / kMicrosecondsPerDay);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string window_days_text(SimTime window) {
  std::array<char, 64> text{};
  const double days = static_cast<double>(window.count()) / kMicrosecondsPerDay;
  return {
      text.data(),
      std::to_chars(text.data(), text.data() + text.size(), days, std::chars_format::fixed).ptr};
}

void state_window(Workload& workload, SimTime window) {
  workload.window = window;
  workload.window_is_stated = true;
}

void state_window(Workload& workload, const std::optional<SimTime>& stated) {
  if (stated.has_value()) state_window(workload, *stated);
}

WindowCoverage cover_window(const Workload& workload) {
  WindowCoverage coverage;
  for (const WorkloadRow& row : workload.rows) {
    const std::size_t which = row.is_spot() ? 1 : 0;
    const bool is_outside = !starts_in_time(row, workload.window);
    coverage.early[which] += row.start < SimTime(0) ? 1 : 0;
    coverage.outside[which] += is_outside ? 1 : 0;
    coverage.unended[which] += row.end == kNever && !is_outside ? 1 : 0;
    coverage.last_observed =
        std::max({coverage.last_observed, row.start, row.end == kNever ? row.start : row.end});
  }
  return coverage;
}

std::vector<std::string> window_warnings(const Workload& workload) {
  std::vector<std::string> warnings;
  const WindowCoverage coverage = cover_window(workload);
  const auto any = [](const std::array<std::uint64_t, 2>& counts) {
    return counts[0] + counts[1] > 0;
  };
  const std::string end = rounded_days_text(workload.window);
  if (any(coverage.outside)) {
    warnings.push_back(fmt::format(
        "{}: {} start at the window's end (day {}) or later and are left out; a longer window_days "
        "takes them in",
        workload.name, both_classes(coverage.outside), end));
  }
  if (!workload.rows.empty() && !any(coverage.early)) {
    warnings.push_back(fmt::format(
        "{}: no request precedes time 0: the datacenter starts empty (cold start), so the figures "
        "of the first days are too good; include the instances that ran at time 0",
        workload.name));
  }
  // Whoever states a window says that it was observed.
  if (!workload.window_is_stated && any(coverage.unended) &&
      coverage.last_observed + kUnobservedAllowed < workload.window) {
    warnings.push_back(fmt::format(
        "{}: nothing is observed after day {}, but {} without an end count as running until the "
        "window ends on day {}; state window_days",
        workload.name, rounded_days_text(coverage.last_observed), both_classes(coverage.unended),
        end));
  }
  return warnings;
}

}  // namespace cospot
