#pragma once

#include "core/model/placement_rules.hpp"
#include "core/policy/plugin.hpp"
#include "core/policy/weigher.hpp"

namespace cospot {

/// ServerGroupSoftAntiAffinityWeigher: for a request in a group with soft anti-affinity, the weight
/// is minus the number of members on the host; else 0. Nova's default multiplier is 1.0.
///
/// Source: nova/scheduler/weights/affinity.py.
class ServerGroupSoftAntiAffinityWeigher final
    : public PerHostWeigher<ServerGroupSoftAntiAffinityWeigher> {
 public:
  static constexpr PluginInfo kInfo{
      .name = "ServerGroupSoftAntiAffinityWeigher",
      .summary = "Fewest members of a soft-anti-affinity group first.",
      .source = "nova/scheduler/weights/affinity.py"};

  explicit ServerGroupSoftAntiAffinityWeigher(const PluginOptions& options) {
    options.reject_unknown();
  }

  [[nodiscard]] double weigh_host(HostRow host, const Request& request) const noexcept {
    const Placement* asked = placement_in_group(request, GroupPolicy::kSoftAntiAffinity);
    return asked == nullptr ? 0 : -asked->members_on(host.index());
  }
};

}  // namespace cospot
