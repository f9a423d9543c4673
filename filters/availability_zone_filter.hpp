#pragma once

#include "core/model/placement_rules.hpp"
#include "core/policy/filter.hpp"
#include "core/policy/plugin.hpp"

namespace cospot {

/// AvailabilityZoneFilter: a request that names an availability zone passes the hosts of that zone;
/// every other request passes everywhere.
///
/// Source: nova/scheduler/filters/availability_zone_filter.py.
class AvailabilityZoneFilter final : public PerHostFilter<AvailabilityZoneFilter> {
 public:
  static constexpr PluginInfo kInfo{.name = "AvailabilityZoneFilter",
                                    .summary = "Passes the hosts of the zone that is asked for.",
                                    .source = "nova/scheduler/filters/availability_zone_filter.py"};

  explicit AvailabilityZoneFilter(const PluginOptions& options) { options.reject_unknown(); }

  [[nodiscard]] bool host_passes(HostRow host, const Request& request) const noexcept {
    const PlaceRules* rules = place_rules(request);
    return rules == nullptr || rules->zone.empty() || rules->zone == host.place().zone;
  }
  [[nodiscard]] FilterScope scope() const override { return FilterScope::kPlace; }
};

}  // namespace cospot
