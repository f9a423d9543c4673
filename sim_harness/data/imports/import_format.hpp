#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim_harness/data/imports/import_table.hpp"
#include "sim_harness/data/imports/timestamps.hpp"

namespace cospot {

/// What a request is made of. Each is a column of the file, or an expression over its columns.
enum class ImportTarget : std::uint8_t {
  kId,
  kTenant,
  kVcpus,
  kMemoryMb,
  kDiskGb,
  kStart,
  kEnd,
  kCount,  ///< how many alike requests a row stands for
  // What a request asks beside room, as in workload files.
  kZone,
  kExtraSpecs,
  kGroup,
  kGroupPolicy,
  kMaxServerPerHost,
};

struct ImportTargetInfo {
  ImportTarget target;
  std::string_view name;  ///< as in `--map NAME=...`
  bool is_required;
};

inline constexpr std::size_t kImportTargets = 13;
inline constexpr std::array<ImportTargetInfo, kImportTargets> kImportTargetInfos{
    {{ImportTarget::kId, "instance_id", false},
     {ImportTarget::kTenant, "tenant_id", false},
     {ImportTarget::kVcpus, "vcpus", true},
     {ImportTarget::kMemoryMb, "memory_mb", true},
     {ImportTarget::kDiskGb, "disk_gb", false},
     {ImportTarget::kStart, "start_s", true},
     {ImportTarget::kEnd, "end_s", false},
     {ImportTarget::kCount, "count", false},
     {ImportTarget::kZone, "zone", false},
     {ImportTarget::kExtraSpecs, "extra_specs", false},
     {ImportTarget::kGroup, "group", false},
     {ImportTarget::kGroupPolicy, "group_policy", false},
     {ImportTarget::kMaxServerPerHost, "max_server_per_host", false}}};

/// Whether a target says what a request asks beside room.
[[nodiscard]] constexpr bool asks_beside_room(ImportTarget target) {
  return target >= ImportTarget::kZone;
}

/// Expressions of which the first counts that the columns of a file allow: tables are exported with
/// more than one way to name their columns.
using Candidates = std::vector<std::string_view>;

/// Where a format has what a request is made of.
struct ImportRule {
  ImportTarget target;
  Candidates expressions;
};

/// A published format: what import does unless options say otherwise.
struct ImportFormat {
  std::string_view name;
  std::string_view summary;
  TableShape shape{};
  TimeUnit unit = TimeUnit::kSeconds;
  bool end_is_duration = false;
  std::string_view vcpus_unit = "1";
  std::vector<ImportRule> map{};
  Candidates spot_if{};      ///< none: the user must say
  Candidates only{};         ///< rows that are requests; none: all
  Candidates start_when{};   ///< rows that are starts, of tables with a row for each event
  Candidates end_when{};     ///< rows that are ends
  bool has_flavors = false;  ///< its files may have names of flavors in place of sizes
  bool is_purged = false;    ///< instances that ended long ago may be missing
};

/// All built-in formats; one with several tables comes once for each.
[[nodiscard]] std::span<const ImportFormat> import_formats();

/// The format called `name` whose columns are as many as the first line of `file` has. Errors:
/// ConfigError with the valid names.
[[nodiscard]] const ImportFormat& find_import_format(std::string_view name,
                                                     const std::filesystem::path& file);

/// What import knows without a format: a CSV whose columns may have the names of cospot's own.
[[nodiscard]] const ImportFormat& plain_import_format();

}  // namespace cospot
