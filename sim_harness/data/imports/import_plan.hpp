#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim_harness/data/imports/flavor_sizes.hpp"
#include "sim_harness/data/imports/import_format.hpp"
#include "sim_harness/data/workloads/vcpus_unit.hpp"

namespace cospot {

/// The user's options for an import; the format supplies the rest.
struct ImportOptions {
  std::vector<std::filesystem::path> files{};
  std::string format{};
  std::vector<std::string> map{};      ///< NAME=EXPRESSION
  std::vector<std::string> columns{};  ///< of a CSV without a header line
  std::optional<std::string> separator{};
  std::optional<std::string> time_unit{};
  std::optional<std::string> time_zone{};  ///< of dates without an offset; default: UTC
  std::optional<std::string> end{};        ///< end_time or duration
  std::optional<std::string> spot_if{};
  std::optional<std::string> only{};
  std::optional<std::string> start_when{};
  std::optional<std::string> end_when{};
  std::optional<std::string> vcpus_unit{};
  std::optional<std::filesystem::path> flavors{};  ///< sizes of the flavors that rows name
  std::optional<std::string> window_start{};       ///< in the file's time unit, or ISO 8601
  std::optional<SimTime> window{};
  std::optional<std::filesystem::path> hosts_out{};  ///< output file for the hosts, if wanted
  double lead_days = 14;
  bool skip_bad_rows = false;
};

/// Alternative expressions (the first usable one is used) and their place, for errors.
struct PlannedExpression {
  std::string option;
  std::vector<std::string> candidates;
  bool is_stated = false;   ///< by the user, who gets an error if it cannot be used
  std::string_view hint{};  ///< what to do if none can be used

  [[nodiscard]] bool is_given() const { return !candidates.empty(); }
};

/// The combination of format and options.
struct ImportPlan {
  TableShape shape{};
  TimeUnit unit = TimeUnit::kSeconds;
  TimeZone zone{};
  bool end_is_duration = false;
  VcpusUnit vcpus_unit{};
  std::array<PlannedExpression, kImportTargets> map{};
  PlannedExpression spot_if{};
  PlannedExpression only{};
  PlannedExpression start_when{};
  PlannedExpression end_when{};
  PlannedExpression resize_when{};
  PlannedExpression over_if{};

  std::shared_ptr<const FlavorSizes> flavors{};  ///< null: not given
  bool expects_flavors = false;                  ///< sizes may be missing because rows name flavors

  bool is_purged = false;          ///< instances that ended long ago may be missing
  std::uint64_t rows_of_page = 0;  ///< how many rows an API lists at once; 0: all

  /// Tells whether starts and ends are in separate rows.
  [[nodiscard]] bool has_events() const { return start_when.is_given(); }

  /// Tells whether requests may have placement requirements.
  [[nodiscard]] bool has_placements() const;

  [[nodiscard]] const PlannedExpression& of(ImportTarget target) const {
    return map[static_cast<std::size_t>(target)];
  }
};

/// The character between the columns of a table: `|`, `tab`. Errors: ConfigError that starts with
/// `where`.
[[nodiscard]] char parse_separator(const std::string& text, std::string_view where);

/// Errors: ConfigError.
[[nodiscard]] ImportPlan plan_import(const ImportOptions& options);

}  // namespace cospot
