#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "guarantees/pricing/capacity_class.hpp"
#include "guarantees/pricing/partition.hpp"
#include "sim_harness/experiments/grid/axis.hpp"
#include "sim_harness/studies/classes/capacity_trace.hpp"

namespace cospot {

// The names used in study files and commands. Errors: ConfigError with the valid ones.

[[nodiscard]] std::string_view partition_name(PartitionRule rule);
[[nodiscard]] std::string_view mttr_name(MttrRule rule);
[[nodiscard]] std::string_view value_name(PriceRule rule);
[[nodiscard]] PartitionRule parse_partition(std::string_view name);
[[nodiscard]] MttrRule parse_mttr(std::string_view name);
[[nodiscard]] PriceRule parse_value(std::string_view name);

[[nodiscard]] AxisValue axis_value(PartitionRule rule);
[[nodiscard]] AxisValue axis_value(MttrRule rule);
[[nodiscard]] AxisValue axis_value(PriceRule rule);
[[nodiscard]] Json setting_json(PartitionRule rule);
[[nodiscard]] Json setting_json(MttrRule rule);
[[nodiscard]] Json setting_json(PriceRule rule);

/// The longest checkpoint: beyond it nothing is worth anything, and no share is a number.
inline constexpr double kMostCheckpointMinutes = 1e6;

/// One way to sell the idle capacity of a trace.
struct ClassesRun {
  std::size_t classes = 1;
  PartitionRule partition = PartitionRule::kEqual;
  ClassPricing pricing{};
};

/// Its results; performance and revenue are fractions of the usable idle time.
struct ClassesResult {
  std::size_t servers = 0;
  std::optional<double> mean_mttr_hours{};  ///< empty: no revocations
  double performance = 0;
  double revenue = 0;
  double revenue_of_maximum = 0;  ///< relative to one class per server
};

/// A trace with the data that all its runs share.
struct LoadedTrace {
  explicit LoadedTrace(CapacityTrace loaded);

  CapacityTrace trace;
  IdleCapacity capacity;

  /// Errors: ConfigError if there are fewer servers than classes.
  void require_classes(std::size_t classes) const;
  [[nodiscard]] std::optional<double> mean_mttr_hours(MttrRule rule) const;
  [[nodiscard]] ClassesResult measure(const Partition& partition, const ClassesRun& run) const;
};

}  // namespace cospot
