#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim_harness/data/imports/import_plan.hpp"
#include "sim_harness/data/imports/request_scan.hpp"

namespace cospot {

/// The window of an import, in the file's time, and what is known about it.
struct ImportWindow {
  SimTime start{0};
  SimTime length{0};
  std::string begins{};  ///< the event at its start; empty: the user stated it
  /// From the first start to the last observed time.
  SimTime first_start{0};
  SimTime last_seen{0};
  std::optional<Observation> observed{};  ///< nothing: not in the file
  std::vector<std::string> warnings{};    ///< without the workload's name; each suggests a remedy
};

/// Parses a time of the file, or ISO 8601. Errors: ConfigError about --window-start.
[[nodiscard]] SimTime stated_window_start(const std::string& text, const ImportPlan& plan);

/// Places the window. It begins at the stated time; or, if the files tell, at the first time at
/// which all running instances were known; or at the first request. It ends at the full hour after
/// the last observed time; a stated length ends it one second after that time. Errors: ConfigError.
[[nodiscard]] ImportWindow place_window(const ImportOptions& options, const ImportPlan& plan,
                                        const RequestScan& scan);

/// `of 256 days only the last 14 were observed`, as a line; empty if all of them were.
[[nodiscard]] std::string observed_line(const ImportWindow& window);

}  // namespace cospot
