#include "bindings/datacenter.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/errors.hpp"

namespace cospot::bindings {

Datacenter::Datacenter(const HostTable& hosts)
    : hosts_(std::make_shared<HostTable>(hosts)), spots_on_(hosts.size()) {}

std::optional<HostIndex> Datacenter::host_of(InstanceIndex instance) const {
  const auto found = placed_.find(instance);
  return found == placed_.end() ? std::nullopt : std::optional(found->second.host);
}

void Datacenter::add_vm(HostIndex host, const Request& request) {
  if (request.is_spot()) throw ConfigError("add_vm: the request is for a spot, expected a VM");
  require_new(request.instance);
  require_room(host, request, Sees::kVms);
  placed_.emplace(request.instance, Placed{host, request.resources(), false});
  hosts_->add_vm(host, request.resources());
  log_->add(host);
}

void Datacenter::add_spot(HostIndex host, const Request& request, SimTime ends_at) {
  if (!request.is_spot()) throw ConfigError("add_spot: the request is for a VM, expected a spot");
  require_new(request.instance);
  require_room(host, request, Sees::kVmsAndSpots);
  spots_on_[host].push_back({.instance = request.instance,
                             .resources = request.resources(),
                             .placed_at = request.time,
                             .ends_at = ends_at});
  placed_.emplace(request.instance, Placed{host, request.resources(), true});
  hosts_->add_spot(host, request.resources());
  log_->add(host);
}

void Datacenter::remove(InstanceIndex instance) {
  const Placed gone = placed(instance);
  placed_.erase(instance);
  if (gone.is_spot) {
    std::erase_if(spots_on_[gone.host],
                  [instance](const RunningSpot& spot) { return spot.instance == instance; });
    hosts_->remove_spot(gone.host, gone.resources);
  } else {
    hosts_->remove_vm(gone.host, gone.resources);
  }
  log_->add(gone.host);
}

void Datacenter::evict(InstanceIndex spot) {
  if (!placed(spot).is_spot) {
    throw ConfigError(fmt::format("instance {} is a VM, expected a spot", spot));
  }
  remove(spot);
}

bool Datacenter::commit(const Choice& choice, const Request& request) {
  const HostIndex host = choice.host.host;
  if (host >= hosts_->size() || !is_current(*hosts_, choice)) return false;
  require_new(request.instance);
  ResourceVector missing = shortfall(*hosts_, host, request);
  std::vector<InstanceIndex> victims = choice.victims;
  std::sort(victims.begin(), victims.end());
  if (std::adjacent_find(victims.begin(), victims.end()) != victims.end()) {
    throw PolicyError("the choice names a victim twice");
  }
  for (const InstanceIndex victim : victims) {
    const auto found = placed_.find(victim);
    if (found == placed_.end() || found->second.host != host || !found->second.is_spot) {
      throw PolicyError(fmt::format("victim {} is no spot on host {}", victim, host));
    }
    missing -= found->second.resources;
  }
  if (!missing.fits_in({})) throw PolicyError("the choice does not free enough for the VM");
  for (const InstanceIndex victim : choice.victims) remove(victim);
  add_vm(host, request);
  return true;
}

void Datacenter::require_new(InstanceIndex instance) const {
  const auto found = placed_.find(instance);
  if (found == placed_.end()) return;
  throw ConfigError(fmt::format("instance {} runs on host {} already, expected a new number",
                                instance, found->second.host));
}

void Datacenter::require_room(HostIndex host, const Request& request, Sees sees) const {
  const ResourceVector room = hosts_->free(host, sees);
  if (request.resources().fits_in(room)) return;
  throw ConfigError(fmt::format(
      "host {} has room for {} vcpus, {} memory_mb and {} disk_gb beside its {}, but the request "
      "is "
      "for {}, {} and {}",
      host, room.vcpus, room.memory_mb, room.disk_gb, sees == Sees::kVms ? "VMs" : "VMs and spots",
      request.vcpus, request.memory_mb, request.disk_gb));
}

const Datacenter::Placed& Datacenter::placed(InstanceIndex instance) const {
  const auto found = placed_.find(instance);
  if (found != placed_.end()) return found->second;
  throw ConfigError(fmt::format("instance {} does not run", instance));
}

}  // namespace cospot::bindings
