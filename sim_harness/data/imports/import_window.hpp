#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim_harness/data/imports/import_plan.hpp"
#include "sim_harness/data/imports/request_scan.hpp"

namespace cospot {

/// The window of an import, in the file's time, and what is known of it.
struct ImportWindow {
  SimTime start{0};
  SimTime length{0};
  std::string begins{};  ///< what happened at its start; empty: the user stated it
  /// From the first start to the last time seen.
  SimTime first_start{0};
  SimTime last_seen{0};
  std::optional<Observation> observed{};  ///< nothing: the file does not tell
  std::vector<std::string> warnings{};    ///< without the workload's name; each names a remedy
};

/// A time of the file, or ISO 8601. Errors: ConfigError of --window-start.
[[nodiscard]] SimTime stated_window_start(const std::string& text, TimeUnit unit);

/// Places the window. It begins as stated; or with the first time at which everything that ran was
/// known, where the files tell; or with the first request. It goes on to the hour after the last
/// time seen, or is as long as stated, and then ends a second after that time. Errors: ConfigError.
[[nodiscard]] ImportWindow place_window(const ImportOptions& options, const ImportPlan& plan,
                                        const RequestScan& scan);

/// `of 256 days only the last 14 were observed`, as a line; empty where all of them were.
[[nodiscard]] std::string observed_line(const ImportWindow& window);

}  // namespace cospot
