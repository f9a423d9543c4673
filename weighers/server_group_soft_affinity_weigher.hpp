#pragma once

#include "core/model/placement_rules.hpp"
#include "core/policy/plugin.hpp"
#include "core/policy/weigher.hpp"

namespace cospot {

/// ServerGroupSoftAffinityWeigher: for a request in a group with soft affinity, the weight is the
/// number of members on the host; else 0. Nova's default multiplier is 1.0.
///
/// Source: nova/scheduler/weights/affinity.py.
class ServerGroupSoftAffinityWeigher final : public PerHostWeigher<ServerGroupSoftAffinityWeigher> {
 public:
  static constexpr PluginInfo kInfo{.name = "ServerGroupSoftAffinityWeigher",
                                    .summary = "Most members of a soft-affinity group first.",
                                    .source = "nova/scheduler/weights/affinity.py"};

  explicit ServerGroupSoftAffinityWeigher(const PluginOptions& options) {
    options.reject_unknown();
  }

  [[nodiscard]] double weigh_host(HostRow host, const Request& request) const noexcept {
    const Placement* asked = placement_in_group(request, GroupPolicy::kSoftAffinity);
    return asked == nullptr ? 0 : asked->members_on(host.index());
  }
};

}  // namespace cospot
