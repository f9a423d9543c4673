#pragma once

#include <map>
#include <span>
#include <string>

#include "sim_harness/data/prices/price_list.hpp"
#include "sim_harness/data/workloads/workload_spec.hpp"

namespace cospot {

/// The prices of a vCPU-hour in each of several workloads.
struct WorkloadPrices {
  VcpuHourPrices vcpu_hour{};  ///< for every workload, unless prices are by flavor
  /// By the workload's label: its mean price by flavor, per vCPU-hour (for relative units, per
  /// unit-hour). Empty: `vcpu_hour` applies.
  std::map<std::string, VcpuHourPrices> by_workload{};
  std::string source{};    ///< the file of the table by flavor
  std::string currency{};  ///< empty: the operator's currency

  [[nodiscard]] bool is_by_flavor() const { return !by_workload.empty(); }

  /// Adds the prices of a workload by a table of flavors. Errors: ConfigError that names the
  /// flavors without a price.
  void add(const PriceList& list, const Workload& workload, const VcpusUnit& unit);
};

/// For accessible workloads; loads them if prices are by flavor. Errors: those of add and
/// load_workload.
[[nodiscard]] WorkloadPrices prices_of_workloads(const PriceList& list,
                                                 std::span<const WorkloadSpec> specs);

}  // namespace cospot
