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

/// An attribute of a request, given by a column of the file or an expression over its columns.
enum class ImportTarget : std::uint8_t {
  kId,
  kTenant,
  kVcpus,
  kMemoryMb,
  kDiskGb,
  kStart,
  kEnd,
  kCount,  ///< number of identical requests that a row represents
  // Placement requirements, as in workload files.
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

/// True if a target is a placement requirement.
[[nodiscard]] constexpr bool asks_beside_room(ImportTarget target) {
  return target >= ImportTarget::kZone;
}

/// Alternative expressions; the first one that the file's columns allow is used, because exports
/// name their columns in several ways.
using Candidates = std::vector<std::string_view>;

/// The place of a request's attribute in a format.
struct ImportRule {
  ImportTarget target;
  Candidates expressions;
  std::string_view hint{};  ///< what to do if the file allows none of them
};

/// A published format: the defaults of an import.
struct ImportFormat {
  std::string_view name;
  std::string_view summary;
  TableShape shape{};
  TimeUnit unit = TimeUnit::kSeconds;
  bool end_is_duration = false;
  std::string_view vcpus_unit = "1";
  std::vector<ImportRule> map{};
  Candidates spot_if{};      ///< none: the user must state it
  Candidates only{};         ///< rows that are requests; none: all
  Candidates start_when{};   ///< rows that are starts, in tables with one row per event
  Candidates end_when{};     ///< rows that are ends
  Candidates resize_when{};  ///< rows that change the size of a running instance
  /// States in which an instance holds nothing; all that the columns allow count. A row in one of
  /// them, without an end, is left out and counted.
  Candidates over_if{};
  bool has_flavors = false;        ///< its files may contain flavor names instead of sizes
  bool is_purged = false;          ///< instances that ended long ago may be missing
  std::uint64_t rows_of_page = 0;  ///< how many its API lists at once; 0: all
};

/// All built-in formats; a format with several tables has one entry for each.
[[nodiscard]] std::span<const ImportFormat> import_formats();

/// The format called `name` with as many columns as the first line of `file`. Errors: ConfigError
/// with the valid names.
[[nodiscard]] const ImportFormat& find_import_format(std::string_view name,
                                                     const std::filesystem::path& file);

/// The default without a format: a CSV whose columns may have the names of cospot's own schema.
[[nodiscard]] const ImportFormat& plain_import_format();

}  // namespace cospot
