#include "core/handshake/reserved_hosts.hpp"

#include <iterator>
#include <tuple>
#include <utility>

namespace cospot {
namespace {

/// Spots are looked for on so many hosts, those that lack the least for one more VM.
constexpr std::size_t kMostHosts = 20;

bool frees_some(const RunningSpot& spot, const ResourceVector& need) {
  return (need.vcpus > 0 && spot.resources.vcpus > 0) ||
         (need.memory_mb > 0 && spot.resources.memory_mb > 0) ||
         (need.disk_gb > 0 && spot.resources.disk_gb > 0);
}

/// Makes `spots` those that the evictor takes, the promised ones last, and `score` what they cost.
bool plan(RankedEvictions& evictions, const ResourceVector& need, SimTime now,
          std::vector<RunningSpot>& spots, double& score) {
  RankedPlan found = evictions.no_plan();
  const EvictionCase eviction{.spots = spots, .shortfall = need, .now = now};
  if (!evictions.make_plan(eviction, nullptr, found)) return false;
  score = found.plan.score;
  std::vector<RunningSpot> victims;
  for (const std::uint32_t victim : found.plan.victims) victims.push_back(spots[victim]);
  std::stable_partition(victims.begin(), victims.end(),
                        [now](const RunningSpot& spot) { return !spot.is_promised(now); });
  spots = std::move(victims);
  return true;
}

}  // namespace

bool ReserveCandidate::is_better_than(const ReserveCandidate& other) const {
  return std::tie(promised, score, host) < std::tie(other.promised, other.score, other.host);
}

void ReservedHosts::set(HostIndex host, const std::optional<ResourceVector>& free) {
  hosts_[host].free = free;
  const std::int64_t vms = free ? reserved_.vms_in(*free) : 0;
  vms_ += vms - std::exchange(hosts_[host].vms, vms);
}

ResourceVector ReservedHosts::need(HostIndex host) const {
  const ResourceVector free = hosts_[host].free.value_or(ResourceVector{});
  const auto lack = [vms = hosts_[host].vms + 1](ResourceAmount each, ResourceAmount has) {
    return each == 0 ? 0 : static_cast<ResourceAmount>(std::max<std::int64_t>(vms * each - has, 0));
  };
  return {lack(reserved_.size.vcpus, free.vcpus), lack(reserved_.size.memory_mb, free.memory_mb),
          lack(reserved_.size.disk_gb, free.disk_gb)};
}

std::vector<HostIndex> ReservedHosts::nearest(std::span<const ResourceVector> held) const {
  std::vector<std::pair<std::int64_t, HostIndex>> by_need;
  for (HostIndex host = 0; host < hosts_.size(); ++host) {
    if (!hosts_[host].free) continue;
    const ResourceVector lacks = need(host);
    if (!lacks.fits_in(held[host])) continue;
    by_need.emplace_back(std::int64_t{lacks.vcpus} + lacks.memory_mb + lacks.disk_gb, host);
  }
  const std::size_t most = std::min(by_need.size(), kMostHosts);
  const auto end = by_need.begin() + static_cast<std::ptrdiff_t>(most);
  std::partial_sort(by_need.begin(), end, by_need.end());
  std::vector<HostIndex> hosts;
  std::transform(by_need.begin(), end, std::back_inserter(hosts),
                 [](const auto& each) { return each.second; });
  return hosts;
}

std::optional<ReserveCandidate> ReservedHosts::candidate(HostIndex host,
                                                         std::span<const RunningSpot> spots,
                                                         SimTime now,
                                                         RankedEvictions& evictions) const {
  const ResourceVector lacks = need(host);
  std::vector<RunningSpot> chosen;
  std::ranges::copy_if(spots, std::back_inserter(chosen),
                       [&](const RunningSpot& spot) { return frees_some(spot, lacks); });
  ReserveCandidate found{.host = host};
  if (!plan(evictions, lacks, now, chosen, found.score)) return std::nullopt;
  found.spots = needed(host, chosen);
  if (found.spots.size() < chosen.size()) {
    std::vector<RunningSpot> again = found.spots;  // for their score
    (void)plan(evictions, lacks, now, again, found.score);
  }
  const auto is_promised = [now](const RunningSpot& spot) { return spot.is_promised(now); };
  found.promised = static_cast<std::size_t>(std::ranges::count_if(found.spots, is_promised));
  return found;
}

/// The spots without those that the others do without, the last one asked first: an evictor that
/// takes one after the other may come to a spot that suffices alone.
std::vector<RunningSpot> ReservedHosts::needed(HostIndex host,
                                               const std::vector<RunningSpot>& chosen) const {
  std::vector<RunningSpot> kept = chosen;
  for (std::size_t i = chosen.size(); i-- > 0;) {
    ResourceVector free = hosts_[host].free.value_or(ResourceVector{});
    for (std::size_t j = 0; j < kept.size(); ++j) {
      if (j != i) free += kept[j].resources;
    }
    if (reserved_.vms_in(free) > hosts_[host].vms) {
      kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  return kept;
}

std::vector<std::size_t> ReservedHosts::withdraw_needless(std::span<const NoticedSpot> noticed) {
  std::vector<std::size_t> withdrawn;
  if (missing() > 0) return withdrawn;
  for (std::size_t i = noticed.size(); i-- > 0;) {
    const auto& [host, size] = noticed[i];
    if (host != kNoHost && hosts_[host].free) {
      const ResourceVector free = *hosts_[host].free;
      set(host, free - size);
      if (missing() > 0) {
        set(host, free);
        continue;
      }
    }
    withdrawn.push_back(i);
  }
  return withdrawn;
}

}  // namespace cospot
