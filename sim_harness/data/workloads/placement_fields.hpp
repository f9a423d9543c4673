#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/data/workloads/workload_fields.hpp"

namespace cospot {

/// Reads the placement requirements of a workload's rows: zone, extra specs and server group.
class PlacementFieldsReader {
 public:
  /// Sets row.placement; returns a description of the fault, or an empty text.
  [[nodiscard]] std::string read(WorkloadFieldsView fields, WorkloadRow& row);

  /// The requirements of the rows so far.
  [[nodiscard]] const WorkloadPlacements& placements() const { return placements_; }
  [[nodiscard]] WorkloadPlacements take() { return std::move(placements_); }

 private:
  using Fields = std::tuple<std::string, std::string, std::string>;  // zone, extra specs, group

  [[nodiscard]] std::string read_group(WorkloadFieldsView fields, std::uint32_t& number);

  WorkloadPlacements placements_;
  std::map<Fields, std::uint32_t> number_of_;
  std::map<std::string, std::uint32_t, std::less<>> group_of_;
};

/// `affinity`, `anti-affinity`, `soft-affinity` or `soft-anti-affinity`.
[[nodiscard]] std::string_view group_policy_name(GroupPolicy policy);

/// The last fields of a row in cospot's own schema, each preceded by a comma.
[[nodiscard]] std::string placement_fields(const WorkloadRow& row,
                                           const WorkloadPlacements& placements);

}  // namespace cospot
