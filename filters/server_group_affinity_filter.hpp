#pragma once

#include "core/model/placement_rules.hpp"
#include "core/policy/filter.hpp"
#include "core/policy/plugin.hpp"

namespace cospot {

/// ServerGroupAffinityFilter: once a member of the request's group runs, the hosts that hold
/// members pass; before that, and for other groups, every host does.
///
/// Source: nova/scheduler/filters/affinity_filter.py.
class ServerGroupAffinityFilter final : public PerHostFilter<ServerGroupAffinityFilter> {
 public:
  static constexpr PluginInfo kInfo{.name = "ServerGroupAffinityFilter",
                                    .summary = "Keeps the members of a group on one host.",
                                    .source = "nova/scheduler/filters/affinity_filter.py"};

  explicit ServerGroupAffinityFilter(const PluginOptions& options) { options.reject_unknown(); }

  [[nodiscard]] bool host_passes(HostRow host, const Request& request) const noexcept {
    const Placement* asked = placement_in_group(request, GroupPolicy::kAffinity);
    return asked == nullptr || asked->members.empty() || asked->members_on(host.index()) > 0;
  }
  [[nodiscard]] FilterScope scope() const override { return FilterScope::kGroup; }
};

}  // namespace cospot
