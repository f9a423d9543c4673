#include "core/provider/datacenter.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "core/errors.hpp"

namespace cospot {

namespace {

/// "3 vcpus, 4 memory_mb and 0 disk_gb".
std::string text_of(const ResourceVector& amounts) {
  return std::to_string(amounts.vcpus) + " vcpus, " + std::to_string(amounts.memory_mb) +
         " memory_mb and " + std::to_string(amounts.disk_gb) + " disk_gb";
}

}  // namespace

Datacenter::Datacenter(const HostTable& hosts) : hosts_(HostTable(hosts)) {}

std::optional<HostIndex> Datacenter::host_of(InstanceIndex instance) const {
  const auto found = placed_.find(instance);
  return found == placed_.end() ? std::nullopt : std::optional(found->second.host);
}

void Datacenter::add_vm(HostIndex host, const Request& request) {
  require_vm(request);
  require_new(request.instance);
  require_fit(host, request, Sees::kVms);
  placed_.emplace(request.instance, Placed{host, request.resources(), false});
  hosts_.place(request, host, kNever);
  log_.add(host);
}

void Datacenter::add_spot(HostIndex host, const Request& request, SimTime ends_at) {
  if (!request.is_spot()) throw ConfigError("add_spot: the request is for a VM, expected a spot");
  require_new(request.instance);
  require_fit(host, request, Sees::kVmsAndSpots);
  placed_.emplace(request.instance, Placed{host, request.resources(), true});
  hosts_.place(request, host, ends_at);
  log_.add(host);
}

void Datacenter::remove(InstanceIndex instance) {
  const Placed gone = placed(instance);
  placed_.erase(instance);
  if (gone.is_spot) {
    hosts_.remove_spot(instance, gone.host);
  } else {
    hosts_.remove_vm(instance, gone.resources, gone.host);
  }
  log_.add(gone.host);
}

void Datacenter::evict(InstanceIndex spot) {
  if (!placed(spot).is_spot) {
    throw ConfigError("instance " + std::to_string(spot) + " is a VM, expected a spot");
  }
  remove(spot);
}

void Datacenter::add_vm_in_place_of(std::span<const InstanceIndex> victims, HostIndex host,
                                    const Request& request) {
  require_vm(request);
  require_new(request.instance);
  std::vector<InstanceIndex> sorted(victims.begin(), victims.end());
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    throw PolicyError("the choice names a victim twice");
  }
  ResourceVector missing = request.resources() - hosts().free(host, Sees::kVmsAndSpots);
  for (const InstanceIndex victim : sorted) {
    const auto found = placed_.find(victim);
    if (found == placed_.end() || found->second.host != host || !found->second.is_spot) {
      throw PolicyError("victim " + std::to_string(victim) + " is no spot on host " +
                        std::to_string(host));
    }
    missing -= found->second.resources;
  }
  if (!missing.fits_in({})) throw PolicyError("the choice does not free enough for the VM");
  for (const InstanceIndex victim : victims) remove(victim);
  add_vm(host, request);
}

bool Datacenter::commit(const Choice& choice, const Request& request) {
  if (!is_current(hosts(), choice)) return false;
  add_vm_in_place_of(choice.victims, choice.host.host, request);
  return true;
}

void Datacenter::require_vm(const Request& request) const {
  if (request.is_spot()) throw ConfigError("add_vm: the request is for a spot, expected a VM");
}

void Datacenter::require_new(InstanceIndex instance) const {
  const auto found = placed_.find(instance);
  if (found == placed_.end()) return;
  throw ConfigError("instance " + std::to_string(instance) + " runs on host " +
                    std::to_string(found->second.host) + " already, expected a new number");
}

void Datacenter::require_fit(HostIndex host, const Request& request, Sees sees) const {
  const ResourceVector free = hosts().free(host, sees);
  if (request.resources().fits_in(free)) return;
  throw ConfigError("host " + std::to_string(host) + " has room for " + text_of(free) +
                    " beside its " + (sees == Sees::kVms ? "VMs" : "VMs and spots") +
                    ", but the request is for " + std::to_string(request.vcpus) + ", " +
                    std::to_string(request.memory_mb) + " and " + std::to_string(request.disk_gb));
}

const Datacenter::Placed& Datacenter::placed(InstanceIndex instance) const {
  const auto found = placed_.find(instance);
  if (found != placed_.end()) return found->second;
  throw ConfigError("instance " + std::to_string(instance) + " does not run");
}

}  // namespace cospot
