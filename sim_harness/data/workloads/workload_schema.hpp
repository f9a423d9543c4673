#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/model/sim_time.hpp"

namespace cospot {

/// The CSV schemas of workload files; docs/workload-format.md describes every column.
enum class WorkloadSchema : std::uint8_t {
  kCospot,  ///< cospot's own: names with units, seconds
  kSocc22,  ///< that of the CoSpot release (SoCC'22): days; vmTypeId holds the priority
};

/// The meaning of a column, in the column order of cospot's own schema.
enum class WorkloadColumn : std::uint8_t {
  kId,
  kTenant,
  kClass,
  kVcpus,
  kMemoryMb,
  kDiskGb,
  kStart,
  kEnd,
  // Placement requirements; these columns are optional.
  kZone,
  kExtraSpecs,
  kGroup,
  kGroupPolicy,
  kMaxServerPerHost,
};
inline constexpr std::size_t kWorkloadColumns = 13;

/// True if a column is a placement requirement.
[[nodiscard]] constexpr bool is_placement(WorkloadColumn column) {
  return column >= WorkloadColumn::kZone;
}

/// True if a column of the schema is optional.
[[nodiscard]] constexpr bool may_be_left_out(WorkloadColumn column) {
  return column == WorkloadColumn::kDiskGb || is_placement(column);
}

/// Additional columns in the header line if requests have placement requirements.
inline constexpr std::string_view kPlacementColumns =
    ",zone,extra_specs,group,group_policy,max_server_per_host";

struct WorkloadSchemaInfo {
  WorkloadSchema schema;
  std::string_view name;    ///< as in `cospot workload convert --schema`
  std::string_view header;  ///< the columns in the order of writing
  /// The name of each WorkloadColumn; empty: not in the schema.
  std::array<std::string_view, kWorkloadColumns> columns;
};

inline constexpr std::array<WorkloadSchemaInfo, 2> kWorkloadSchemas{{
    {.schema = WorkloadSchema::kCospot,
     .name = "cospot",
     .header = "instance_id,tenant_id,class,vcpus,memory_mb,disk_gb,start_s,end_s",
     .columns = {"instance_id", "tenant_id", "class", "vcpus", "memory_mb", "disk_gb", "start_s",
                 "end_s", "zone", "extra_specs", "group", "group_policy", "max_server_per_host"}},
    {.schema = WorkloadSchema::kSocc22,
     .name = "socc22",
     .header = "vmId,tenantId,cores,ram,vmTypeId,starttime,endtime",
     .columns = {"vmId", "tenantId", "vmTypeId", "cores", "ram", "", "starttime", "endtime", "", "",
                 "", "", ""}},
}};

/// The maximum distance from the start of the window: 10,000 days. Within it a double in days
/// resolves every microsecond (its step is at most 2^-39 days = 0.16 microseconds), and a time
/// counted from 1970 by mistake is rejected.
inline constexpr SimTime kMaxWorkloadTime = 10'000 * kDay;

/// The longest window: it includes a request that starts at kMaxWorkloadTime.
inline constexpr SimTime kMaxWindow = kMaxWorkloadTime + kDay;

inline constexpr double kMicrosecondsPerDay = 86400e6;

}  // namespace cospot
