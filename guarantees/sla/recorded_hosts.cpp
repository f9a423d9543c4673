#include "guarantees/sla/recorded_hosts.hpp"

#include <algorithm>

namespace cospot {

RecordedHosts::RecordedHosts(std::span<const ResourceVector> totals)
    : free_(totals.begin(), totals.end()), free_ignoring_spots_(free_), spots_(totals.size()) {}

void RecordedHosts::apply(const HistoryEvent& event) {
  using Kind = HistoryEvent::Kind;
  switch (event.kind) {
    case Kind::kVmPlaced:
      free_[event.host] -= event.resources;
      free_ignoring_spots_[event.host] -= event.resources;
      break;
    case Kind::kVmEnded:
      free_[event.host] += event.resources;
      free_ignoring_spots_[event.host] += event.resources;
      break;
    case Kind::kSpotPlaced:
      free_[event.host] -= event.resources;
      spots_[event.host].push_back({event.spot, event.resources, event.promised_until});
      running_.push_back(event.spot);
      spots_placed_ = event.spot + 1;
      break;
    case Kind::kSpotEnded:
    case Kind::kSpotEvicted:
      free_[event.host] += event.resources;
      std::erase_if(spots_[event.host],
                    [&](const Spot& spot) { return spot.number == event.spot; });
      running_.erase(std::ranges::lower_bound(running_, event.spot));
      break;
  }
}

ResourceVector RecordedHosts::free_beside_promised(HostIndex host, std::uint32_t age,
                                                   SimTime now) const {
  ResourceVector free = free_ignoring_spots_[host];
  for (const Spot& spot : spots_[host]) {
    if (spot.number >= age) break;
    if (spot.is_promised(now)) free -= spot.resources;
  }
  return free;
}

std::size_t RecordedHosts::running_older(std::uint32_t age) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(running_, age) - running_.begin());
}

}  // namespace cospot
