#pragma once

#include <map>
#include <span>
#include <string>

#include "sim_harness/data/prices/price_list.hpp"
#include "sim_harness/data/workloads/workload_spec.hpp"

namespace cospot {

/// What a vCPU-hour costs in each of several workloads.
struct WorkloadPrices {
  VcpuHourPrices vcpu_hour{};  ///< of any workload, where no prices are by flavor
  /// By the workload's label: its mean price by flavor, of a vCPU-hour (of relative units, a
  /// unit-hour). Empty: `vcpu_hour` counts.
  std::map<std::string, VcpuHourPrices> by_workload{};
  std::string source{};    ///< the file of the table by flavor
  std::string currency{};  ///< empty: whatever money the operator counts

  [[nodiscard]] bool is_by_flavor() const { return !by_workload.empty(); }

  /// Adds what a table by flavor comes to in a workload. Errors: ConfigError that names the
  /// flavors without a price.
  void add(const PriceList& list, const Workload& workload, const VcpusUnit& unit);
};

/// Of workloads that are at hand; they are loaded where prices are by flavor. Errors: as of add and
/// load_workload.
[[nodiscard]] WorkloadPrices prices_of_workloads(const PriceList& list,
                                                 std::span<const WorkloadSpec> specs);

}  // namespace cospot
