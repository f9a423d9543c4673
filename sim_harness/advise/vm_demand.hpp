#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "sim_harness/advise/tune.hpp"
#include "sim_harness/base/json/json.hpp"

namespace cospot {

/// The change of the VMs' demand over the days of a history, where it is beyond chance.
struct VmDemand {
  std::optional<std::size_t> step_day{};     ///< the first day of another level
  double step = 0;                           ///< the change of level then, as a fraction
  std::optional<double> season{};            ///< of a week: half the range of its days, by the mean
  std::optional<double> growth_per_month{};  ///< of the level at the end, as a fraction
  std::size_t needed = 0;  ///< the fewest hosts that hold all VMs of the history; 0: unknown
  /// Until these VMs, growing on, no longer fit the hosts.
  std::optional<double> days_left{};

  /// The hosts needed in a month, if the VMs go on growing; 0: unknown.
  [[nodiscard]] std::size_t needed_in_a_month() const;
};

/// Looks for them in histories of three weeks or more. A season is one of the mean vcpus in `use`
/// each day. Steps and growth are those of the vcpus `requested` each day, or of the use if VMs
/// stay so long that they see few of them. docs/plan.md has the tests.
[[nodiscard]] VmDemand vm_demand(std::span<const double> use, std::span<const double> requested);
/// The same of a workload on its hosts.
[[nodiscard]] VmDemand vm_demand(const Workload& workload, const WholeWorkload& whole);

/// "VM demand stepped up by 15.0% on day 20."; empty if it did not change.
[[nodiscard]] std::string demand_sentence(const VmDemand& demand, std::size_t hosts);
[[nodiscard]] Json demand_json(const VmDemand& demand);

}  // namespace cospot
