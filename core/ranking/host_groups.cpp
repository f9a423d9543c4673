#include "core/ranking/host_groups.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace cospot {

std::vector<HostGroup> group_hosts(const HostTable& hosts, GroupedBy by) {
  using Kind = std::tuple<ResourceAmount, ResourceAmount, ResourceAmount, PlaceIndex>;
  const HostView view = hosts.view();
  std::vector<HostGroup> groups;
  std::map<Kind, std::size_t> number_of;
  for (HostIndex host = 0; host < view.size(); ++host) {
    const ResourceVector total = view[host].total();
    const PlaceIndex place = by.place ? view.place[host] : 0;
    const Kind kind =
        by.total ? Kind(total.vcpus, total.memory_mb, total.disk_gb, place) : Kind(0, 0, 0, place);
    const auto [found, is_new] = number_of.try_emplace(kind, groups.size());
    if (is_new) groups.push_back({.total = total, .place = place, .hosts = {}});
    HostGroup& group = groups[found->second];
    group.total = {std::max(group.total.vcpus, total.vcpus),
                   std::max(group.total.memory_mb, total.memory_mb),
                   std::max(group.total.disk_gb, total.disk_gb)};
    group.hosts.push_back(host);
  }
  return groups;
}

}  // namespace cospot
