#pragma once

#include "core/model/placement_rules.hpp"
#include "core/policy/filter.hpp"
#include "core/policy/plugin.hpp"

namespace cospot {

/// AggregateMultiTenancyIsolation: a host in an aggregate whose metadata have `filter_tenant_id`
/// takes the instances of those tenants only; other hosts take everyone's.
///
/// Source: nova/scheduler/filters/aggregate_multitenancy_isolation.py.
class AggregateMultiTenancyIsolationFilter final
    : public PerHostFilter<AggregateMultiTenancyIsolationFilter> {
 public:
  static constexpr std::string_view kKey = "filter_tenant_id";
  static constexpr PluginInfo kInfo{
      .name = "AggregateMultiTenancyIsolation",
      .summary = "Keeps other tenants off hosts whose aggregates name filter_tenant_id.",
      .source = "nova/scheduler/filters/aggregate_multitenancy_isolation.py"};

  explicit AggregateMultiTenancyIsolationFilter(const PluginOptions& options) {
    options.reject_unknown();
  }

  [[nodiscard]] bool host_passes(HostRow host, const Request& request) const noexcept {
    const PlaceRules* rules = place_rules(request);
    if (rules == nullptr) return true;
    const auto tenants = host.place().metadata.find(kKey);
    if (tenants == host.place().metadata.end() || tenants->second.empty()) return true;
    return tenants->second.contains(rules->tenant);
  }
  [[nodiscard]] FilterScope scope() const override { return FilterScope::kPlace; }
};

}  // namespace cospot
