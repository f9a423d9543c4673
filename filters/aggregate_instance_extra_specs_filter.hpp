#pragma once

#include "core/model/placement_rules.hpp"
#include "core/policy/filter.hpp"
#include "core/policy/plugin.hpp"
#include "filters/extra_spec_match.hpp"

namespace cospot {

/// AggregateInstanceExtraSpecsFilter: passes the hosts whose aggregates have, for every extra spec
/// of the flavor, a value that matches it. Extra specs of another scope than
/// `aggregate_instance_extra_specs` are nobody's business here; those without a scope count.
///
/// Source: nova/scheduler/filters/aggregate_instance_extra_specs.py.
class AggregateInstanceExtraSpecsFilter final
    : public PerHostFilter<AggregateInstanceExtraSpecsFilter> {
 public:
  static constexpr PluginInfo kInfo{
      .name = "AggregateInstanceExtraSpecsFilter",
      .summary = "Passes hosts whose aggregate metadata match the flavor's extra specs.",
      .source = "nova/scheduler/filters/aggregate_instance_extra_specs.py"};

  explicit AggregateInstanceExtraSpecsFilter(const PluginOptions& options) {
    options.reject_unknown();
  }

  [[nodiscard]] bool host_passes(HostRow host, const Request& request) const {
    const PlaceRules* rules = place_rules(request);
    return rules == nullptr || matches_extra_specs(host.place().metadata, rules->extra_specs);
  }
  [[nodiscard]] FilterScope scope() const override { return FilterScope::kPlace; }
};

}  // namespace cospot
