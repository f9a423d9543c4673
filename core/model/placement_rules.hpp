#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/model/host_table.hpp"
#include "core/model/request.hpp"

namespace cospot {

/// The relation between the members of a server group. The soft forms are wishes.
enum class GroupPolicy : std::uint8_t {
  kAffinity,
  kAntiAffinity,
  kSoftAffinity,
  kSoftAntiAffinity
};

/// Instances that want to be on one host, or each on another.
struct ServerGroup {
  std::string id{};
  GroupPolicy policy = GroupPolicy::kAffinity;
  std::int32_t max_server_per_host = 1;  ///< of anti-affinity: so many members may share a host

  [[nodiscard]] bool is_soft() const {
    return policy == GroupPolicy::kSoftAffinity || policy == GroupPolicy::kSoftAntiAffinity;
  }
  friend bool operator==(const ServerGroup&, const ServerGroup&) = default;
};

/// The places where an instance may be. Requests with the same rules share one.
struct PlaceRules {
  std::string zone{};  ///< availability zone; empty: any
  /// The aggregate metadata that the flavor asks for: key and expression, in the order of the keys.
  std::vector<std::pair<std::string, std::string>> extra_specs{};
  std::string tenant{};  ///< for hosts that are kept for some tenants; empty: one of no host

  friend bool operator==(const PlaceRules&, const PlaceRules&) = default;
};

/// The demands that requests may make of their hosts apart from capacity. Requests that ask for the
/// same share one.
struct RowPlacement {
  static constexpr std::uint32_t kNoGroup = UINT32_MAX;

  PlaceRules rules{};              ///< without the tenant, which is the row's
  std::uint32_t group = kNoGroup;  ///< in the groups of the workload

  friend bool operator==(const RowPlacement&, const RowPlacement&) = default;
};

/// The demands of a request on its host apart from capacity. Valid for one call, like the request.
struct Placement {
  const PlaceRules* rules = nullptr;   ///< nullptr: any place will do
  const ServerGroup* group = nullptr;  ///< nullptr: in no group
  /// The present hosts of the group's members: a host once for each, in no order.
  std::span<const HostIndex> members{};

  /// The number of members of the group on a host.
  [[nodiscard]] std::int32_t members_on(HostIndex host) const {
    std::int32_t count = 0;
    for (const HostIndex member : members) count += member == host ? 1 : 0;
    return count;
  }
};

/// The rules of a request about a host's place; nullptr: none.
[[nodiscard]] inline const PlaceRules* place_rules(const Request& request) {
  return request.placement == nullptr ? nullptr : request.placement->rules;
}

/// The placement of a request in a group with such a policy; nullptr for every other request.
[[nodiscard]] inline const Placement* placement_in_group(const Request& request,
                                                         GroupPolicy policy) {
  const Placement* asked = request.placement;
  if (asked == nullptr || asked->group == nullptr || asked->group->policy != policy) return nullptr;
  return asked;
}

}  // namespace cospot
