#pragma once

#include <vector>

#include "core/model/host_table.hpp"

namespace cospot {

/// Hosts of a table that a ranking keeps by themselves, in ascending order.
struct HostGroup {
  ResourceVector total;  ///< the largest of each resource over the group
  PlaceIndex place = 0;  ///< of all of them, when they were grouped by it
  std::vector<HostIndex> hosts;
};

/// The properties that the hosts of one group share.
struct GroupedBy {
  bool total = false;
  bool place = false;
};

/// The groups of a table, in the order of their first hosts.
[[nodiscard]] std::vector<HostGroup> group_hosts(const HostTable& hosts, GroupedBy by);

}  // namespace cospot
