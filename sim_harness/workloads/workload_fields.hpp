#pragma once

#include <array>
#include <string>
#include <string_view>

#include "sim_harness/workloads/workload.hpp"
#include "sim_harness/workloads/workload_schema.hpp"

namespace cospot {

/// The fields of one row of a workload file, by WorkloadColumn; empty where it has no column.
using WorkloadFields = std::array<std::string_view, kWorkloadColumns>;

/// Turns the fields of one schema into a WorkloadRow.
class WorkloadFieldsReader {
 public:
  explicit WorkloadFieldsReader(const WorkloadSchemaInfo& info,
                                WorkloadClasses classes = WorkloadClasses::kVmsAndSpots)
      : info_(&info), classes_(classes) {}

  /// Fills `row`; returns what is wrong and what was expected, or an empty text.
  [[nodiscard]] std::string read(const WorkloadFields& fields, WorkloadRow& row) const;

 private:
  [[nodiscard]] std::string read_names(const WorkloadFields& fields, WorkloadRow& row) const;
  [[nodiscard]] std::string read_class(std::string_view text, WorkloadRow& row) const;
  [[nodiscard]] std::string read_amounts(const WorkloadFields& fields, WorkloadRow& row) const;
  [[nodiscard]] std::string read_times(const WorkloadFields& fields, WorkloadRow& row) const;
  [[nodiscard]] bool read_time(std::string_view text, SimTime& time) const;
  [[nodiscard]] bool is_never(std::string_view text) const;
  [[nodiscard]] std::string_view column_name(WorkloadColumn column) const;

  const WorkloadSchemaInfo* info_;
  WorkloadClasses classes_;
};

/// Reads `[-]seconds[.decimals]` with up to 6 decimals, exactly. False: not such a number, or
/// beyond kMaxWorkloadTime.
[[nodiscard]] bool parse_seconds(std::string_view text, SimTime& time);

/// Reads days as a decimal number: the microsecond nearest to what is written. False: not a number,
/// not finite, or beyond kMaxWorkloadTime.
[[nodiscard]] bool parse_days(std::string_view text, SimTime& time);

/// Reads a whole number from `least` to kMaxResourceAmount, also written with a decimal point.
[[nodiscard]] bool parse_amount(std::string_view text, ResourceAmount least,
                                ResourceAmount& amount);

}  // namespace cospot
