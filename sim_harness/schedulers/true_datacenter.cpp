#include "sim_harness/schedulers/true_datacenter.hpp"

#include <algorithm>

namespace cospot {

TrueDatacenter::TrueDatacenter(const EventSchedule& schedule, const HostTable& hosts,
                               const Allocator& allocator, CommitRule rule)
    : schedule_(&schedule),
      allocator_(allocator),
      rule_(rule),
      datacenter_(hosts),
      handshake_(*allocator.evictor),
      log_(hosts.size()),
      latest_(schedule, hosts, allocator, log_) {}

bool TrueDatacenter::commit(const Choice& choice, const Request& request) {
  const std::optional<Choice> accepted = this->accepted(choice, request);
  if (!accepted) return false;
  carry_out(*accepted, request);
  return true;
}

/// The choice that is carried out; nothing: the commit is declined.
std::optional<Choice> TrueDatacenter::accepted(const Choice& choice, const Request& request) {
  const HostIndex host = choice.host.host;
  const bool is_current = cospot::is_current(datacenter_.hosts(), choice);
  if (!is_current && rule_ == CommitRule::kGeneration) return std::nullopt;
  const bool has_group = request.placement != nullptr && request.placement->group != nullptr;
  // Members of a group may have come to other hosts: no generation tells.
  if ((!is_current || has_group) && !passes(host, request)) return std::nullopt;
  if (is_current) return choice;
  const OfferedHost as_it_is{.host = host, .generation = datacenter_.hosts().generation(host)};
  if (request.is_spot()) return Choice{.host = as_it_is, .victims = {}};
  const Choice again =
      handshake_.choose(datacenter_.hosts(), {.request = request, .hosts = {as_it_is}},
                        [this](HostIndex of) { return datacenter_.spots_on(of); });
  return again.has_host() ? std::optional(again) : std::nullopt;
}

bool TrueDatacenter::passes(HostIndex host, Request request) {
  latest_.learn_all();
  request.placement = latest_.placement_of(request.instance);
  const Chain& chain = request.is_spot() ? *allocator_.spot : *allocator_.vm;
  chain.weigh(latest_.hosts().view(), {&host, 1}, request, scratch_, ranked_);
  return !ranked_.empty();
}

bool TrueDatacenter::has_host_for(Request request) {
  latest_.learn_all();
  request.placement = latest_.placement_of(request.instance);
  HostRanking& ranking = latest_.ranking_for(request);
  ranking.start(request);
  return ranking.next() != kNoHost;
}

void TrueDatacenter::carry_out(const Choice& choice, const Request& request) {
  const HostIndex host = choice.host.host;
  const SimTime now = request.time;
  victims_.clear();
  for (const RunningSpot& spot : datacenter_.spots_on(host)) {
    if (std::ranges::find(choice.victims, spot.instance) != choice.victims.end()) {
      victims_.push_back(spot);
    }
  }
  evicted_needlessly_ = !victims_.empty() && request.resources().fits_in(datacenter_.hosts().free(
                                                 host, Sees::kVmsAndSpots));
  if (request.is_spot()) {
    datacenter_.add_spot(host, request, schedule_->end[request.instance]);
  } else {
    (void)cospot::commit(datacenter_, choice, request);  // accepted() made it current
  }
  for (const RunningSpot& victim : victims_) {
    log_.add({.time = now,
              .resources = victim.resources,
              .instance = victim.instance,
              .host = host,
              .is_spot = true,
              .leaves = true});
  }
  log_.add({.time = now,
            .resources = request.resources(),
            .instance = request.instance,
            .host = host,
            .is_spot = request.is_spot()});
}

std::optional<HostIndex> TrueDatacenter::depart(const ScheduledEvent& departure, SimTime time) {
  const std::optional<HostIndex> host = datacenter_.host_of(departure.instance);
  if (!host) return std::nullopt;
  datacenter_.remove(departure.instance);
  log_.add({.time = time,
            .resources = schedule_->resources(departure),
            .instance = departure.instance,
            .host = *host,
            .is_spot = departure.is_spot(),
            .leaves = true});
  return host;
}

void TrueDatacenter::forget_before(std::uint64_t known) {
  latest_.learn_all();
  log_.forget_before(known);
}

}  // namespace cospot
