#include "core/provider/provider_hosts.hpp"

#include <string>
#include <utility>

#include "core/errors.hpp"

namespace cospot {
namespace {

ResourceVector use_of(const std::vector<RunningSpot>& spots, const std::string& host) {
  const SpotSum sum = sum_of(spots);
  if (sum.most() > kMaxResourceAmount) {
    throw ConfigError("host '" + host + "': its spots hold " + std::to_string(sum.most()) +
                      " of a resource, expected at most " + std::to_string(kMaxResourceAmount));
  }
  return {static_cast<ResourceAmount>(sum.vcpus), static_cast<ResourceAmount>(sum.memory_mb),
          static_cast<ResourceAmount>(sum.disk_gb)};
}

std::optional<VmLoad> load_to_follow(const HostTable& hosts, const Allocator& allocator) {
  return allocator.otn.follows_load() ? std::optional(VmLoad(hosts)) : std::nullopt;
}

std::optional<Handshake> make_handshake(const Allocator& allocator, const PriorityLevels& levels) {
  if (allocator.evictor == nullptr) return std::nullopt;
  return Handshake(*allocator.evictor, allocator.otn, levels);
}

}  // namespace

ProviderHosts::View::View(HostTable made, const Chain* chain, const OfferRule& otn)
    : hosts(std::move(made)), displaceable(hosts.size()) {
  rank_by(chain, otn);
}

ProviderHosts::View::View(const View& other, const Chain* chain, const OfferRule& otn)
    : hosts(other.hosts), displaceable(other.displaceable), withheld(other.withheld) {
  rank_by(chain, otn);
}

void ProviderHosts::View::rank_by(const Chain* chain, const OfferRule& otn) {
  hosts.lend_spots(displaceable);  // before the ranking takes its columns
  ranking = LateRanking(chain, hosts);
  // Without an offer to choose from, a side that ignores spots need not hear of them.
  if (!otn.is_one_host()) ranking.watch_spots();
}

ProviderHosts::ProviderHosts(HostTable hosts, Allocator allocator, std::size_t instances,
                             Placements placements, const PriorityLevels& levels)
    : allocator_(std::move(allocator)),
      levels_(levels),
      top_(std::move(hosts), allocator_.vm.get(), allocator_.otn),
      lowest_(allocator_.spot.get(), top_.hosts),
      handshake_(make_handshake(allocator_, levels_)),
      host_of_(instances, kNoHost),
      load_(load_to_follow(top_.hosts, allocator_)),
      placements_(std::move(placements)),
      has_parts_(!allocator_.between.empty() || load_ || !placements_.empty()) {
  for (const auto& chain : allocator_.between) {
    between_.push_back(std::make_unique<View>(HostTable(top_.hosts), chain.get(), allocator_.otn));
  }
}

ProviderHosts::ProviderHosts(const ProviderHosts& other, Allocator allocator)
    : allocator_(std::move(allocator)),
      levels_(other.levels_),
      top_(other.top_, allocator_.vm.get(), allocator_.otn),
      lowest_(allocator_.spot == other.allocator_.spot
                  ? LateRanking(other.lowest_, top_.hosts)
                  : LateRanking(allocator_.spot.get(), top_.hosts)),
      handshake_(make_handshake(allocator_, levels_)),
      host_of_(other.host_of_),
      load_(load_to_follow(top_.hosts, allocator_)),
      placements_(other.placements_),
      reasons_closed_(other.reasons_closed_),
      has_parts_(other.has_parts_ || load_) {
  for (std::size_t i = 0; i < other.between_.size(); ++i) {
    between_.push_back(
        std::make_unique<View>(*other.between_[i], allocator_.between[i].get(), allocator_.otn));
  }
}

HostRanking& ProviderHosts::ranking_by_level(const Request& request) {
  return (is_lowest(request) ? lowest_ : view_for(request).ranking).current();
}

HostIndex ProviderHosts::first_without_eviction(const Request& request) {
  HostRanking& ranking = ranking_for(request);
  ranking.start(request);
  HostIndex host = ranking.next();
  while (host != kNoHost && needs_evictions(host, request)) host = ranking.next();
  return host;
}

void ProviderHosts::resize_vm(const ResourceVector& from, const ResourceVector& to,
                              HostIndex host) {
  top_.hosts.remove_vm(host, from);
  top_.hosts.add_vm(host, to);
  change_vm_room(from, host, -1);
  change_vm_room(to, host, 1);
  vms_changed(host);
}

void ProviderHosts::place_spot(const RunningSpot& spot, HostIndex host) {
  top_.hosts.add_spot(host, spot.resources);
  top_.displaceable.add(spot, host);
  if (!host_of_.empty()) host_of_[spot.instance] = host;
  if (has_parts_) tell_parts_of_spot(spot, host, 1);
  spots_changed(host);
}

RunningSpot ProviderHosts::remove_spot(InstanceIndex instance, HostIndex host) {
  const RunningSpot spot = top_.displaceable.remove(instance, host);
  top_.hosts.remove_spot(host, spot.resources);
  if (!host_of_.empty()) host_of_[instance] = kNoHost;
  if (has_parts_) tell_parts_of_spot(spot, host, -1);
  spots_changed(host);
  return spot;
}
void ProviderHosts::tell_parts_of_vm(InstanceIndex instance, const ResourceVector& size,
                                     HostIndex host, std::int32_t sign) {
  tell_groups(instance, host, sign);
  change_vm_room(size, host, sign);
}

void ProviderHosts::change_vm_room(const ResourceVector& size, HostIndex host, std::int32_t sign) {
  for (const auto& view : between_) {
    view->hosts.change_vms(host, size, sign);
    view->ranking.host_changed(host);
  }
  if (load_) sign > 0 ? load_->add_vm(size) : load_->remove_vm(size);
  withhold_anew(host);
}

void ProviderHosts::tell_parts_of_spot(const RunningSpot& spot, HostIndex host, std::int32_t sign) {
  tell_groups(spot.instance, host, sign);
  for (std::size_t i = 0; i < between_.size(); ++i) {
    View& view = *between_[i];
    const std::size_t viewer = i + 1;
    if (levels_.of_displaceable(spot.instance) <= viewer) {
      view.hosts.change_vms(host, spot.resources, sign);
      view.ranking.host_changed(host);
      continue;
    }
    view.hosts.change_spots(host, spot.resources, sign);
    view.ranking.spots_changed(host);
    if (sign > 0) {
      view.displaceable.add(spot, host);
    } else {
      view.displaceable.remove(spot.instance, host);
    }
  }
  withhold_anew(host);
}

void ProviderHosts::tell_groups(InstanceIndex instance, HostIndex host, std::int32_t sign) {
  if (sign > 0) {
    placements_.placed(instance, host);
  } else {
    placements_.left(instance, host);
  }
}

void ProviderHosts::close(HostIndex host) {
  if (reasons_closed_.empty()) {
    reasons_closed_.assign(table().size(), 0);
    top_.withheld.resize(table().size());
    for (const auto& view : between_) view->withheld.resize(table().size());
    has_parts_ = true;
  }
  if (reasons_closed_[host]++ > 0) return;
  withhold(host);
}

void ProviderHosts::reopen(HostIndex host) {
  if (--reasons_closed_[host] == 0) release(host);
}

void ProviderHosts::withhold_anew(HostIndex host) {
  if (!is_closed(host)) return;
  release(host);
  withhold(host);
}

/// No request fits then, for each has a vcpu. A load that offers follow counts it as in use.
void ProviderHosts::withhold(HostIndex host) {
  const auto fill = [host](View& view) {
    view.withheld[host] = view.hosts.free(host, Sees::kVms);
    view.hosts.add_vm(host, view.withheld[host]);
    view.ranking.host_changed(host);
  };
  fill(top_);
  for (const auto& view : between_) fill(*view);
  lowest_.host_changed(host);
  if (load_) load_->add_vm(top_.withheld[host]);
}

void ProviderHosts::release(HostIndex host) {
  const auto empty = [host](View& view) {
    view.hosts.remove_vm(host, view.withheld[host]);
    view.ranking.host_changed(host);
  };
  empty(top_);
  for (const auto& view : between_) empty(*view);
  lowest_.host_changed(host);
  if (load_) load_->remove_vm(top_.withheld[host]);
}

void ProviderHosts::replace(HostIndex host, HostSpec spec, std::vector<RunningSpot> spots) {
  spec.spot_used = use_of(spots, spec.name);
  spec.num_spots = static_cast<std::int32_t>(spots.size());
  top_.hosts.replace(host, spec);
  top_.displaceable.replace(host, std::move(spots));
}

}  // namespace cospot
