#include "sim_harness/studies/degradation/degradation.hpp"

#include <utility>
#include <vector>

#include "core/provider/provider_hosts.hpp"
#include "core/random.hpp"
#include "sim_harness/engine/placement_checks.hpp"
#include "sim_harness/interrupt/stop_token.hpp"

namespace cospot {
namespace {

/// Often enough also where each event looks at millions of hosts.
constexpr std::size_t kEventsBetweenPolls = 16;

/// A random one of the first `top` hosts of a walk that was just started; kNoHost when there is no
/// host at all.
HostIndex draw_host(HostRanking& ranking, std::size_t top, Random& random,
                    std::vector<HostIndex>& seen) {
  const std::size_t drawn = top == 1 ? 0 : random.below(top);
  seen.clear();
  while (seen.size() <= drawn) {
    const HostIndex host = ranking.next();
    if (host == kNoHost) break;
    seen.push_back(host);
  }
  if (seen.empty()) return kNoHost;
  if (seen.size() > drawn) return seen[drawn];
  return seen[random.below(seen.size())];  // fewer are feasible: all of them equally likely
}

}  // namespace

DegradationResult degrade(const EventSchedule& vms, HostTable hosts,
                          std::shared_ptr<const Chain> vm, std::size_t top, std::uint64_t seed) {
  DegradationResult result{.hosts = hosts.size(),
                           .vm_requests = vms.vm_requests,
                           .vm_revenue_requested = vms.vm_revenue_requested,
                           .vm_revenue = vms.vm_revenue_requested};
  require_placements_seen(vms, *vm);
  ProviderHosts datacenter(std::move(hosts), {.vm = std::move(vm)}, vms.start.size(),
                           vms.make_placements());
  std::vector<HostIndex> seen;
  Random random(seed);
  const StopToken stop = current_stop_token();
  for (std::size_t i = 0; i < vms.events_to_last_arrival; ++i) {
    if (i % kEventsBetweenPolls == 0) stop.check();
    const ScheduledEvent& event = vms.events[i];
    if (event.is_departure()) {
      const HostIndex host = datacenter.host_of(event.instance);
      if (host != kNoHost) datacenter.remove_vm(event.instance, vms.resources(event), host);
      continue;
    }
    Request request = vms.request(event);
    request.placement = datacenter.placement_of(event.instance);
    HostRanking& ranking = datacenter.ranking_for(request);
    ranking.start(request);
    const HostIndex host = draw_host(ranking, top, random, seen);
    if (host == kNoHost) {
      ++result.vm_rejected;
      result.vm_revenue -= vms.revenue(request.vcpus, request.time, vms.end[event.instance]);
    } else {
      datacenter.place_vm(event.instance, request.resources(), host);
    }
  }
  return result;
}

}  // namespace cospot
