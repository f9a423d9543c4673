#include "sim_harness/provider/signals/spot_pools.hpp"

#include <algorithm>

#include "guarantees/sla/lifetime_quantiles.hpp"

namespace cospot {

SpotPools::SpotPools(const HostView& hosts) {
  for (HostIndex host = 0; host < hosts.size(); ++host) zones_.push_back(hosts[host].place().zone);
  std::ranges::sort(zones_);
  zones_.erase(std::unique(zones_.begin(), zones_.end()), zones_.end());
  std::erase(zones_, "");
  if (zones_.size() < 2) zones_.clear();
  for (HostIndex host = 0; host < hosts.size(); ++host) {
    const auto found = std::ranges::find(zones_, hosts[host].place().zone);
    zone_of_host_.push_back(static_cast<std::size_t>(found - zones_.begin()));
    total_.add(hosts[host].total());
  }
  free_on_.resize(hosts.size());
  update_all(hosts);
}

void SpotPools::add(const ResourceVector& size, const HostView& hosts) {
  if (flavors_.size() >= kMostFlavors || find(size)) return;
  flavors_.push_back(size);
  pools_.push_back({.size = size});
  for (const std::string& zone : zones_) pools_.push_back({.size = size, .zone = zone});
  slots_.resize(pools_.size());
  slots_on_.emplace_back(hosts.size());
  update_all(hosts);
}

void SpotPools::update(HostIndex host, const HostView& hosts) {
  const ResourceVector free = hosts[host].free(Sees::kVmsAndSpots);
  free_.add(free - free_on_[host]);
  free_on_[host] = free;
  for (std::size_t flavor = 0; flavor < flavors_.size(); ++flavor) {
    std::int64_t& on_host = slots_on_[flavor][host];
    const std::int64_t change = slots_of(flavors_[flavor], free) - on_host;
    if (change == 0) continue;
    on_host += change;
    const std::size_t anywhere = flavor * pools_of_flavor();
    slots_[anywhere] += change;
    if (zone_of_host_[host] < zones_.size()) slots_[anywhere + 1 + zone_of_host_[host]] += change;
  }
}

void SpotPools::update_all(const HostView& hosts) {
  for (HostIndex host = 0; host < hosts.size(); ++host) update(host, hosts);
}

double SpotPools::free_share() const {
  return std::min(free_.vcpus / total_.vcpus, free_.memory_mb / total_.memory_mb);
}

std::optional<std::size_t> SpotPools::find(const ResourceVector& size) const {
  const auto found = std::ranges::find(flavors_, size);
  if (found == flavors_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - flavors_.begin()) * pools_of_flavor();
}

}  // namespace cospot
