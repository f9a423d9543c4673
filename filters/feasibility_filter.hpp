#pragma once

#include "core/policy/filter.hpp"
#include "core/policy/plugin.hpp"

namespace cospot {

/// Passes the hosts on which the request fits next to the instances that `kSees` names: a VM
/// ignores the spots (they can be evicted), a spot does not.
///
/// Source: CoSpot, section 2 ("feasibility").
template <Sees kSees>
class FeasibilityFilter final : public PerHostFilter<FeasibilityFilter<kSees>> {
 public:
  static constexpr PluginInfo kInfo =
      kSees == Sees::kVms
          ? PluginInfo{.name = "VmFeasibility",
                       .summary = "Passes hosts with room beside their VMs, ignoring spots.",
                       .source = "CoSpot, section 2"}
          : PluginInfo{.name = "SpotFeasibility",
                       .summary = "Passes hosts with room beside their VMs and spots.",
                       .source = "CoSpot, section 2"};

  explicit FeasibilityFilter(const PluginOptions& options) { options.reject_unknown(); }

  [[nodiscard]] bool host_passes(HostRow host, const Request& request) const noexcept {
    return request.resources().fits_in(host.free(kSees));
  }

  [[nodiscard]] std::optional<Sees> needs_room_beside() const override { return kSees; }
};

using VmFeasibilityFilter = FeasibilityFilter<Sees::kVms>;
using SpotFeasibilityFilter = FeasibilityFilter<Sees::kVmsAndSpots>;

}  // namespace cospot
