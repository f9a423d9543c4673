#include "sim_harness/schedulers/true_datacenter.hpp"

#include <algorithm>

namespace cospot {

TrueDatacenter::TrueDatacenter(const EventSchedule& schedule, const HostTable& hosts,
                               const Allocator& allocator, CommitRule rule)
    : schedule_(&schedule),
      rule_(rule),
      hosts_(HostTable(hosts), allocator, schedule.start.size(), schedule.make_placements()),
      log_(hosts.size()) {}

bool TrueDatacenter::commit(const Choice& choice, const Request& request) {
  const std::optional<Choice> accepted = this->accepted(choice, request);
  if (!accepted) return false;
  carry_out(*accepted, request);
  return true;
}

/// The choice that is carried out; nothing: the commit is declined.
std::optional<Choice> TrueDatacenter::accepted(const Choice& choice, const Request& request) {
  const HostIndex host = choice.host.host;
  const bool is_current = cospot::is_current(hosts_.table(), choice);
  if (!is_current && rule_ == CommitRule::kGeneration) return std::nullopt;
  const bool has_group = request.placement != nullptr && request.placement->group != nullptr;
  // Members of a group may have come to other hosts: no generation tells.
  if ((!is_current || has_group) && !passes(host, request)) return std::nullopt;
  if (is_current) return choice;
  const OfferedHost as_it_is{.host = host, .generation = hosts_.table().generation(host)};
  if (request.is_spot()) return Choice{.host = as_it_is, .victims = {}};
  const Choice again = hosts_.choose({.request = request, .hosts = {as_it_is}});
  return again.has_host() ? std::optional(again) : std::nullopt;
}

bool TrueDatacenter::passes(HostIndex host, Request request) {
  request.placement = hosts_.placement_of(request.instance);
  const Chain& chain = request.is_spot() ? *hosts_.allocator().spot : *hosts_.allocator().vm;
  chain.weigh(hosts_.table().view(), {&host, 1}, request, scratch_, ranked_);
  return !ranked_.empty();
}

bool TrueDatacenter::has_host_for(Request request) {
  request.placement = hosts_.placement_of(request.instance);
  return hosts_.first_ranked(request) != kNoHost;
}

void TrueDatacenter::carry_out(const Choice& choice, const Request& request) {
  const HostIndex host = choice.host.host;
  const SimTime now = request.time;
  victims_.clear();
  for (const RunningSpot& spot : hosts_.spots_on(host)) {
    if (std::ranges::find(choice.victims, spot.instance) != choice.victims.end()) {
      victims_.push_back(spot);
    }
  }
  evicted_needlessly_ = !victims_.empty() && !hosts_.needs_evictions(host, request);
  for (const RunningSpot& victim : victims_) {
    hosts_.remove_spot(victim.instance, host);
    log_.add({.time = now,
              .resources = victim.resources,
              .instance = victim.instance,
              .host = host,
              .is_spot = true,
              .leaves = true});
  }
  hosts_.place(request, host, schedule_->end[request.instance]);
  log_.add({.time = now,
            .resources = request.resources(),
            .instance = request.instance,
            .host = host,
            .is_spot = request.is_spot()});
}

std::optional<HostIndex> TrueDatacenter::depart(const ScheduledEvent& departure, SimTime time) {
  const HostIndex host = hosts_.host_of(departure.instance);
  if (host == kNoHost) return std::nullopt;
  if (departure.is_spot()) {
    hosts_.remove_spot(departure.instance, host);
  } else {
    hosts_.remove_vm(departure.instance, schedule_->resources(departure), host);
  }
  log_.add({.time = time,
            .resources = schedule_->resources(departure),
            .instance = departure.instance,
            .host = host,
            .is_spot = departure.is_spot(),
            .leaves = true});
  return host;
}

}  // namespace cospot
