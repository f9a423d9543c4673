#include "sim_harness/engine/life_hosts.hpp"

#include <algorithm>
#include <utility>

namespace cospot {

LifeHosts::LifeHosts(const EventSchedule& schedule, HostTable hosts, Allocator allocator)
    : hosts_(std::move(hosts)),
      instances_(schedule.start.size(), hosts_.size()),
      placements_(schedule),
      allocator_(std::move(allocator)),
      vm_ranking_(allocator_.vm->make_ranking(hosts_)),
      spot_ranking_(allocator_.spot->make_ranking(hosts_)),
      vm_ranking_watches_spots_(vm_ranking_->sees_spots() || !allocator_.otn.is_one_host()),
      handshake_(*allocator_.evictor, allocator_.otn),
      vms_on_(hosts_.size()),
      reasons_out_(hosts_.size(), 0),
      withheld_(hosts_.size()),
      is_stale_(hosts_.size(), 0) {
  if (allocator_.otn.follows_load()) load_.emplace(hosts_);
  hosts_.lend_spots(instances_.spots());
}

HostIndex LifeHosts::choose_for_vm(const Request& request, AllocationTimer& timer) {
  struct WalkTimer : HandshakeObserver {
    AllocationTimer* timer;
    void walks() const { timer->start_walk(); }
  };
  victims_.clear();
  vm_ranking_->start(request);
  const HostIndex first = vm_ranking_->next();
  if (first == kNoHost || shortfall(hosts_, first, request).fits_in(ResourceVector{})) return first;
  WalkTimer observer;
  observer.timer = &timer;
  const HostIndex host =
      handshake_.decide(hosts_, *vm_ranking_, first, request, load_ ? load_->of_scarcest() : 0,
                        spots_of_host(), observer);
  if (host == kNoHost) return kNoHost;
  for (const std::uint32_t position : handshake_.victims()) {
    victims_.push_back(instances_.spots_on(host)[position].instance);
  }
  return host;
}

HostIndex LifeHosts::choose_for_vm(const Request& request, RunObserver& observer) {
  struct OfferWatch : HandshakeObserver {
    RunObserver* observer;
    void offered(const Offer& offer) const {
      if (!offer.hosts.empty()) observer->offered(offer);
    }
  };
  OfferWatch watch;
  watch.observer = &observer;
  Choice choice = handshake_.answer(hosts_, *vm_ranking_, request, spots_of_host(), watch);
  victims_ = std::move(choice.victims);
  return choice.host.host;
}

HostIndex LifeHosts::choose_beside_spots(const Request& request) {
  vm_ranking_->start(request);
  HostIndex host = vm_ranking_->next();
  while (host != kNoHost && !shortfall(hosts_, host, request).fits_in(ResourceVector{})) {
    host = vm_ranking_->next();
  }
  return host;
}

HostIndex LifeHosts::choose_for_spot(const Request& request) {
  for (const HostIndex host : stale_) {
    spot_ranking_->host_changed(host);
    is_stale_[host] = 0;
  }
  stale_.clear();
  spot_ranking_->start(request);
  return spot_ranking_->next();
}

void LifeHosts::add_vm(InstanceIndex instance, const ResourceVector& size, HostIndex host) {
  hosts_.add_vm(host, size);
  if (load_) load_->add_vm(size);
  instances_.place_vm(instance, host);
  placements_.placed(instance, host);
  vm_changed(host);
}

void LifeHosts::place_vm(InstanceIndex instance, const ResourceVector& size, HostIndex host) {
  vms_on_[host].push_back(instance);
  add_vm(instance, size, host);
}

HostIndex LifeHosts::remove_vm(InstanceIndex instance, const ResourceVector& size) {
  const HostIndex host = lift_vm(instance, size);
  vms_on_[host].erase(std::ranges::find(vms_on_[host], instance));
  return host;
}

HostIndex LifeHosts::lift_vm(InstanceIndex instance, const ResourceVector& size) {
  const HostIndex host = instances_.host_of(instance);
  instances_.remove_vm(instance);
  placements_.left(instance, host);
  hosts_.remove_vm(host, size);
  if (load_) load_->remove_vm(size);
  if (reasons_out_[host] > 0) withhold(host);
  vm_changed(host);
  return host;
}

void LifeHosts::put_back_vm(InstanceIndex instance, const ResourceVector& size, HostIndex from) {
  if (reasons_out_[from] > 0) release_last(from);  // what lift_vm withheld
  add_vm(instance, size, from);
}

void LifeHosts::set_down_vm(InstanceIndex instance, const ResourceVector& size, HostIndex from,
                            HostIndex to) {
  vms_on_[from].erase(std::ranges::find(vms_on_[from], instance));
  place_vm(instance, size, to);
}

void LifeHosts::resize_vm(InstanceIndex instance, const ResourceVector& from,
                          const ResourceVector& to) {
  const HostIndex host = instances_.host_of(instance);
  hosts_.remove_vm(host, from);
  hosts_.add_vm(host, to);
  if (load_) {
    load_->remove_vm(from);
    load_->add_vm(to);
  }
  if (reasons_out_[host] > 0) withhold(host);
  vm_changed(host);
}

void LifeHosts::place_spot(const RunningSpot& spot, HostIndex host) {
  hosts_.add_spot(host, spot.resources);
  instances_.place_spot(spot, host);
  placements_.placed(spot.instance, host);
  spots_changed(host);
}

RunningSpot LifeHosts::remove_spot(InstanceIndex instance) {
  const HostIndex host = instances_.host_of(instance);
  RunningSpot spot = instances_.remove_spot(instance);
  hosts_.remove_spot(host, spot.resources);
  placements_.left(instance, host);
  spots_changed(host);
  return spot;
}

void LifeHosts::take_out(HostIndex host) {
  if (reasons_out_[host]++ > 0) return;
  withhold(host);
  vm_changed(host);
}

void LifeHosts::take_back(HostIndex host) {
  if (--reasons_out_[host] > 0) return;
  while (!withheld_[host].empty()) release_last(host);
  vm_changed(host);
}

/// Hands all that the VMs on a host leave free to nobody: no request fits, for each has a vcpu. A
/// load that offers follow counts it as in use.
void LifeHosts::withhold(HostIndex host) {
  const ResourceVector amount = hosts_.free(host, Sees::kVms);
  withheld_[host].push_back(amount);
  hosts_.add_vm(host, amount);
  if (load_) load_->add_vm(amount);
}

void LifeHosts::release_last(HostIndex host) {
  const ResourceVector amount = withheld_[host].back();
  withheld_[host].pop_back();
  hosts_.remove_vm(host, amount);
  if (load_) load_->remove_vm(amount);
}

void LifeHosts::vm_changed(HostIndex host) {
  vm_ranking_->host_changed(host);
  mark_stale(host);
}

void LifeHosts::spots_changed(HostIndex host) {
  if (vm_ranking_watches_spots_) vm_ranking_->host_changed(host);
  mark_stale(host);
}

void LifeHosts::mark_stale(HostIndex host) {
  if (is_stale_[host] != 0) return;
  is_stale_[host] = 1;
  stale_.push_back(host);
}

}  // namespace cospot
