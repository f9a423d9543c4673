#include "sim_harness/data/imports/import_window.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/errors.hpp"
#include "sim_harness/base/text/date_time.hpp"
#include "sim_harness/data/workloads/rounded_days.hpp"
#include "sim_harness/data/workloads/window.hpp"
#include "sim_harness/data/workloads/workload_schema.hpp"

namespace cospot {
namespace {

constexpr SimTime kHour = std::chrono::hours(1);
constexpr SimTime kSecond = std::chrono::seconds(1);

/// Days as people say them.
std::string days_text(SimTime time) {
  return fmt::format("{:.3g}", static_cast<double>(time.count()) / kMicrosecondsPerDay);
}

/// The time at which everything that ran was known. A purged table may have held instances that
/// ended before its first end; without an end in it, only the moment of the dump is known.
std::optional<Observation> observation_of(const ImportPlan& plan, const RequestScan& scan) {
  if (scan.observation()) return scan.observation();
  if (!plan.is_purged) return {};
  if (scan.first_end() == kNever) {
    return Observation{.first = scan.last_seen(),
                       .last = scan.last_seen(),
                       .begins = "the newest start",
                       .doubt = {}};
  }
  return Observation{
      .first = scan.first_end(), .last = scan.last_seen(), .begins = "the first end", .doubt = {}};
}

/// Places a window of which only the length, or nothing, is stated.
void place_start(const ImportOptions& options, ImportWindow& window) {
  if (options.window) {
    // The last observation lies in the window: the newest instances start then.
    window.start = window.last_seen + kSecond - *options.window;
    return;
  }
  window.start = window.first_start;
  window.begins = "the first start";
  if (!window.observed) return;
  if (window.observed->first < window.observed->last) {
    window.start = window.observed->first;
    window.begins = window.observed->begins;
  } else if (window.observed->first - kDefaultWindow > window.start) {
    // One look observes no time at all; the days before it are the best that there is.
    window.start = window.observed->first - kDefaultWindow;
    window.begins =
        fmt::format("{} days before {}", kDefaultWindow / kDay, window.observed->begins);
  }
}

/// Says how many of the days from the first start to the last observation were observed.
std::string observed_text(const ImportWindow& window, SimTime since) {
  return fmt::format("of {} days only the last {} were observed",
                     days_text(window.last_seen - window.first_start),
                     days_text(window.last_seen - since));
}

/// A table that does not tell since when it is complete, but whose ends all come late.
void warn_of_late_ends(const RequestScan& scan, TimeUnit unit, ImportWindow& window) {
  const SimTime end = scan.first_end();
  if (end == kNever || window.start >= end) return;
  const SimTime quiet = end - window.first_start;
  if (quiet <= kDay || 2 * quiet <= window.last_seen - window.first_start) return;
  window.warnings.push_back(
      fmt::format("nothing ends in the first {} days after the first start; if ends were not "
                  "recorded then, {}, "
                  "and the days before look emptier than they were: --window-start {} begins with "
                  "the first end",
                  days_text(quiet), observed_text(window, end), time_option_text(end, unit)));
}

void warn_of_unobserved(const ImportOptions& options, TimeUnit unit, ImportWindow& window) {
  const Observation& observed = *window.observed;
  if (!observed.doubt.empty()) window.warnings.push_back(observed.doubt);
  if (observed.first < observed.last) {
    if (window.start >= observed.first) return;
    window.warnings.push_back(fmt::format(
        "{}: before, only what still lived then is known, so those days look emptier than they "
        "were; --window-start {} begins with {}",
        observed_text(window, observed.first), time_option_text(observed.first, unit),
        observed.begins));
    return;
  }
  // A user who states the window has read what one look knows.
  if (options.window || options.window_start) return;
  window.warnings.push_back(fmt::format(
      "only the moment {} was observed: what ended before is missing, so the days before it look "
      "emptier than they were, and evictions rarer; take several snapshots, or a table with "
      "deleted "
      "instances; --window-days states how many days count",
      time_text(observed.first, unit)));
}

/// A table whose first instances are those of a cloud that was in use already. Their window may
/// begin later, when those that ran before it are known.
void warn_of_cold_start(const ImportOptions& options, TimeUnit unit, ImportWindow& window) {
  if (options.window_start || !window.warnings.empty()) return;
  if (window.start > window.first_start) return;
  const SimTime seen = window.last_seen - window.start;
  if (seen < 4 * kDay) return;  // too short to leave any of it out
  const SimTime later = window.start + std::min(kDefaultWindow, seen / (4 * kDay) * kDay);
  window.warnings.push_back(fmt::format(
      "nothing starts before the window: if the cloud was in use then, its first days look emptier "
      "than they were; --window-start {} begins later, with the instances that ran by then",
      time_option_text(later, unit)));
}

/// A window that goes on to the last end, long after the last start.
void warn_of_late_window(const ImportOptions& options, const RequestScan& scan, TimeUnit unit,
                         ImportWindow& window) {
  if (options.window || window.last_seen - scan.last_start() <= kDay) return;
  const SimTime started = (scan.last_start() - window.start) / kDay * kDay + kDay;
  window.warnings.push_back(fmt::format(
      "the window of {} days goes on to the last end, but nothing starts in its last {}; if no "
      "starts were recorded then, --window-start {} --window-days {} ends it after the last start",
      rounded_days_text(window.length), rounded_days_text(window.last_seen - scan.last_start()),
      time_option_text(window.start, unit), rounded_days_text(started)));
}

void check_length(const ImportWindow& window, TimeUnit unit) {
  if (window.length > SimTime(0) && window.length <= kMaxWindow) return;
  throw ConfigError(fmt::format(
      "the requests go from {} to {}, which gives a window of {} days, expected more than 0 and at "
      "most 10001; is --time-unit right? --window-start and --window-days state a window",
      time_text(window.first_start, unit), time_text(window.last_seen, unit),
      rounded_days_text(window.length)));
}

}  // namespace

SimTime stated_window_start(const std::string& text, const ImportPlan& plan) {
  std::optional<SimTime> time = parse_time(text, plan.unit, plan.zone);
  if (!time) time = parse_date_time(text, plan.zone);
  if (time) return *time;
  throw ConfigError(fmt::format("--window-start: found '{}', expected {}, or ISO 8601", text,
                                time_expected(plan.unit)));
}

ImportWindow place_window(const ImportOptions& options, const ImportPlan& plan,
                          const RequestScan& scan) {
  ImportWindow window{.first_start = scan.first_start(),
                      .last_seen = scan.last_seen(),
                      .observed = observation_of(plan, scan)};
  if (window.observed) window.last_seen = std::max(window.last_seen, window.observed->last);
  if (options.window_start) {
    window.start = stated_window_start(*options.window_start, plan);
  } else {
    place_start(options, window);
  }
  const SimTime seen = window.last_seen - window.start;
  window.length = options.window.value_or((seen / kHour + 1) * kHour);
  check_length(window, plan.unit);
  if (window.observed) {
    warn_of_unobserved(options, plan.unit, window);
  } else {
    warn_of_late_ends(scan, plan.unit, window);
    warn_of_late_window(options, scan, plan.unit, window);
    warn_of_cold_start(options, plan.unit, window);
  }
  return window;
}

std::string observed_line(const ImportWindow& window) {
  if (!window.observed || window.observed->first >= window.observed->last) return {};
  if (window.first_start >= window.observed->first) return {};
  return fmt::format("  {}\n", observed_text(window, window.observed->first));
}

}  // namespace cospot
