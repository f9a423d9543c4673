#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim_harness/base/json/json.hpp"
#include "sim_harness/studies/classes/class_settings.hpp"

namespace cospot {

/// A partition with its class table.
struct PartitionReport {
  ClassesRun run;
  Partition partition;
  ClassesResult result;
  std::vector<OfferedClass> table;
};

/// The output of `cospot classes` for a trace.
struct ClassReport {
  ClassPricing pricing;
  std::optional<double> on_demand{};  ///< price of a vCPU-hour, in money
  std::string currency{};
  std::vector<PartitionReport> partitions;
};

/// Computes all partitions. Errors: ConfigError if there are fewer servers than classes.
[[nodiscard]] ClassReport report_classes(const LoadedTrace& trace, const ClassPricing& pricing,
                                         const std::vector<std::size_t>& classes,
                                         const std::vector<PartitionRule>& partitions);

/// As text: the trace, the partitions, and each partition's class table.
[[nodiscard]] std::string report_text(const LoadedTrace& trace, const ClassReport& report);

/// As JSON (docs/json.md).
[[nodiscard]] Json report_json(const LoadedTrace& trace, const ClassReport& report);

}  // namespace cospot
