#include "sim_harness/studies/classes/class_settings.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "core/errors.hpp"
#include "core/policy/plugin.hpp"

namespace cospot {
namespace {

constexpr std::array<std::string_view, 5> kPartitions{"equal", "greedy", "marginal", "lookahead",
                                                      "optimal"};
constexpr std::array<std::string_view, 2> kMttrs{"pooled", "mean"};
constexpr std::array<std::string_view, 2> kValues{"equilibrium", "utility"};

std::size_t position(std::string_view kind, std::string_view name,
                     std::span<const std::string_view> names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return i;
  }
  throw_unknown_name(kind, name, names);
}

}  // namespace

std::string_view partition_name(PartitionRule rule) {
  return kPartitions[static_cast<std::size_t>(rule)];
}
std::string_view mttr_name(MttrRule rule) { return kMttrs[rule == MttrRule::kMean ? 1 : 0]; }
std::string_view value_name(PriceRule rule) { return kValues[rule == PriceRule::kUtility ? 1 : 0]; }

PartitionRule parse_partition(std::string_view name) {
  return static_cast<PartitionRule>(position("partition", name, kPartitions));
}
MttrRule parse_mttr(std::string_view name) {
  return position("mttr", name, kMttrs) == 0 ? MttrRule::kPooled : MttrRule::kMean;
}
PriceRule parse_value(std::string_view name) {
  return position("value", name, kValues) == 0 ? PriceRule::kEquilibrium : PriceRule::kUtility;
}

AxisValue axis_value(PartitionRule rule) { return axis_value(std::string(partition_name(rule))); }
AxisValue axis_value(MttrRule rule) { return axis_value(std::string(mttr_name(rule))); }
AxisValue axis_value(PriceRule rule) { return axis_value(std::string(value_name(rule))); }
Json setting_json(PartitionRule rule) { return partition_name(rule); }
Json setting_json(MttrRule rule) { return mttr_name(rule); }
Json setting_json(PriceRule rule) { return value_name(rule); }

LoadedTrace::LoadedTrace(CapacityTrace loaded)
    : trace(std::move(loaded)), capacity(trace.record.totals()) {
  if (capacity.size() > 0) return;
  throw ConfigError(
      fmt::format("{}: none of {} servers is ever idle for 10 minutes, so there is "
                  "nothing to sell; expected more servers or other days",
                  trace.label, trace.record.servers));
}

void LoadedTrace::require_classes(std::size_t classes) const {
  if (classes <= capacity.size()) return;
  throw ConfigError(
      fmt::format("{}: classes is {}, expected at most {}: so many of {} servers are ever idle for "
                  "10 minutes",
                  trace.label, classes, capacity.size(), trace.record.servers));
}

std::optional<double> LoadedTrace::mean_mttr_hours(MttrRule rule) const {
  const double mttr = capacity.all().mttr(rule);
  return std::isfinite(mttr) ? std::optional(mttr) : std::nullopt;
}

ClassesResult LoadedTrace::measure(const Partition& partition, const ClassesRun& run) const {
  const double idle = capacity.all().idle_hours;
  const double earned = revenue(capacity, partition, run.pricing);
  return {.servers = trace.record.servers,
          .mean_mttr_hours = mean_mttr_hours(run.pricing.mttr),
          .performance = useful_hours(capacity, partition, run.pricing) / idle,
          .revenue = earned / idle,
          .revenue_of_maximum = earned / capacity.most_revenue(run.pricing)};
}

}  // namespace cospot
