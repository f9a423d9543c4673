#include "sim_harness/provider/forecasts/revocation_forecast.hpp"

#include <algorithm>

#include "filters/registry.hpp"
#include "guarantees/pricing/server_idle.hpp"
#include "weighers/registry.hpp"

namespace cospot {
namespace {

constexpr SimTime kRefreshEvery = std::chrono::hours(6);

template <class Plugin, class Specs>
bool any_needs_it(std::span<const RegistryEntry<Plugin>> registry, const Specs& specs) {
  return std::ranges::any_of(specs, [&](const auto& spec) {
    if (spec.make) return false;
    const PluginInfo* info = find_info(registry, spec.name);
    return info != nullptr && info->needs_revocation_forecast;
  });
}

}  // namespace

RevocationForecast::RevocationForecast(const EventSchedule& schedule, std::size_t hosts)
    : window_(schedule.window),
      is_spot_(schedule.start.size(), false),
      hours_(hosts, 0),
      evictions_(hosts, 0),
      spots_(hosts, 0),
      counted_until_(hosts, SimTime(0)),
      next_(kRefreshEvery) {
  for (const ScheduledEvent& event : schedule.events) {
    if (event.is_spot()) is_spot_[event.instance] = true;
  }
  forecasts_.revocations = &revocations_;
}

void RevocationForecast::refresh() {
  for (std::size_t host = 0; host < hours_.size(); ++host) {
    count_until(static_cast<HostIndex>(host), next_);
  }
  revocations_ = HostRevocations(hours_, evictions_);
  next_ += kRefreshEvery;
}

SimTime RevocationForecast::asked_lifetime(const Request& spot, SimTime end) const {
  return (end == kNever ? std::max(window_, spot.time) : end) - spot.time;
}

void RevocationForecast::evicted(InstanceIndex /*victim*/, HostIndex host, const Request& for_vm) {
  count_until(host, for_vm.time);
  --spots_[host];
  if (for_vm.time >= SimTime(0)) evictions_[host] += 1;
}

void RevocationForecast::placed(const Request& request, HostIndex host) {
  if (!request.is_spot()) return;
  count_until(host, request.time);
  ++spots_[host];
}

void RevocationForecast::departed(InstanceIndex instance, HostIndex host, SimTime time) {
  if (!is_spot_[instance]) return;
  count_until(host, time);
  --spots_[host];
}

void RevocationForecast::count_until(HostIndex host, SimTime time) {
  if (time <= counted_until_[host]) return;  // before the window nothing counts
  hours_[host] += spots_[host] * hours_of(time - counted_until_[host]);
  counted_until_[host] = time;
}

bool needs_revocation_forecast(const ChainSpec& chain) {
  return any_needs_it(filter_registry(), chain.filters) ||
         any_needs_it(weigher_registry(), chain.weighers);
}

std::unique_ptr<RevocationForecast> make_revocation_forecast(const EventSchedule& schedule,
                                                             std::size_t hosts,
                                                             const ChainSpec& spot) {
  if (!needs_revocation_forecast(spot)) return nullptr;
  return std::make_unique<RevocationForecast>(schedule, hosts);
}

}  // namespace cospot
