#include "filters/lifetime_sla_filter.hpp"

#include <algorithm>

#include "core/policy/forecasts.hpp"
#include "guarantees/sla/lifetime_quantiles.hpp"

namespace cospot {

LifetimeSlaFilter::LifetimeSlaFilter(const PluginOptions& options)
    : options_(read_lifetime_sla_options(options)) {
  options.reject_unknown();
}

void LifetimeSlaFilter::filter_all(const HostView& hosts, std::span<const HostIndex> /*candidates*/,
                                   const Request& request, std::span<std::uint8_t> passes) const {
  std::ranges::fill(passes, promises(hosts, request) ? std::uint8_t{1} : std::uint8_t{0});
}

bool LifetimeSlaFilter::promises(const HostView& hosts, const Request& request) const {
  if (!request.is_spot() || request.asked_lifetime <= SimTime{0}) return true;
  const LifetimeQuantiles* lifetimes =
      request.forecasts == nullptr ? nullptr : request.forecasts->lifetimes;
  if (lifetimes == nullptr || !lifetimes->is_known()) return options_.admits_before_forecast;
  const ResourceVector size = request.resources();
  return request.asked_lifetime <=
         lifetimes->promised(size, free_slots(hosts, size), options_.target);
}

std::int64_t free_slots(const HostView& hosts, const ResourceVector& size) {
  std::int64_t slots = 0;
  for (HostIndex host = 0; host < hosts.size(); ++host) {
    slots += slots_of(size, hosts[host].free(Sees::kVmsAndSpots));
  }
  return slots;
}

}  // namespace cospot
