#pragma once

#include "core/model/placement_rules.hpp"
#include "core/policy/filter.hpp"
#include "core/policy/plugin.hpp"

namespace cospot {

/// ServerGroupAntiAffinityFilter: passes the hosts with fewer members of the request's group than
/// may share one (max_server_per_host, 1 unless the group says more); for other groups, every host.
///
/// Source: nova/scheduler/filters/affinity_filter.py.
class ServerGroupAntiAffinityFilter final : public PerHostFilter<ServerGroupAntiAffinityFilter> {
 public:
  static constexpr PluginInfo kInfo{.name = "ServerGroupAntiAffinityFilter",
                                    .summary = "Keeps the members of a group on separate hosts.",
                                    .source = "nova/scheduler/filters/affinity_filter.py"};

  explicit ServerGroupAntiAffinityFilter(const PluginOptions& options) { options.reject_unknown(); }

  [[nodiscard]] bool host_passes(HostRow host, const Request& request) const noexcept {
    const Placement* asked = placement_in_group(request, GroupPolicy::kAntiAffinity);
    return asked == nullptr || asked->members_on(host.index()) < asked->group->max_server_per_host;
  }
  [[nodiscard]] FilterScope scope() const override { return FilterScope::kGroup; }
};

}  // namespace cospot
