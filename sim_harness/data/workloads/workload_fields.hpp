#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/data/workloads/workload_schema.hpp"

namespace cospot {

/// The fields of one row of a workload file, by WorkloadColumn; empty without such a column.
using WorkloadFields = std::array<std::string_view, kWorkloadColumns>;
using WorkloadFieldsView = std::span<const std::string_view, kWorkloadColumns>;

[[nodiscard]] inline std::string_view field(WorkloadFieldsView fields, WorkloadColumn column) {
  return fields[static_cast<std::size_t>(column)];
}

/// Converts the fields of one schema to a WorkloadRow.
class WorkloadFieldsReader {
 public:
  explicit WorkloadFieldsReader(const WorkloadSchemaInfo& info,
                                WorkloadClasses classes = WorkloadClasses::kVmsAndSpots)
      : info_(&info), classes_(classes) {}

  /// Fills `row`; returns a description of the fault, or an empty text.
  [[nodiscard]] std::string read(WorkloadFieldsView fields, WorkloadRow& row) const;

 private:
  [[nodiscard]] std::string read_names(WorkloadFieldsView fields, WorkloadRow& row) const;
  [[nodiscard]] std::string read_class(std::string_view text, WorkloadRow& row) const;
  [[nodiscard]] std::string read_amounts(WorkloadFieldsView fields, WorkloadRow& row) const;
  [[nodiscard]] std::string read_times(WorkloadFieldsView fields, WorkloadRow& row) const;
  [[nodiscard]] std::optional<SimTime> read_time(std::string_view text) const;
  [[nodiscard]] bool is_never(std::string_view text) const;
  [[nodiscard]] std::string_view column_name(WorkloadColumn column) const;

  const WorkloadSchemaInfo* info_;
  WorkloadClasses classes_;
};

/// Parses `[-]seconds[.decimals]` with up to 6 decimals, exactly. Nothing: not such a number, or
/// beyond kMaxWorkloadTime.
[[nodiscard]] std::optional<SimTime> parse_seconds(std::string_view text);

/// Parses days as a decimal number, to the nearest microsecond. Nothing: not a number, not finite,
/// or beyond kMaxWorkloadTime.
[[nodiscard]] std::optional<SimTime> parse_days(std::string_view text);

/// Parses a whole number from `least` to kMaxResourceAmount, also written with a decimal point.
[[nodiscard]] std::optional<ResourceAmount> parse_amount(std::string_view text,
                                                         ResourceAmount least);

}  // namespace cospot
