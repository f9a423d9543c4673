#pragma once

#include <map>
#include <optional>
#include <span>

#include "core/model/host_log.hpp"
#include "core/provider/provider_hosts.hpp"

namespace cospot {

/// ProviderHosts for a caller who places and evicts step by step, by policies of its own: instances
/// have any numbers, and every step is checked.
class Datacenter {
 public:
  /// `hosts` is copied, as hosts without instances of this datacenter.
  explicit Datacenter(const HostTable& hosts);

  Datacenter(const Datacenter&) = delete;
  Datacenter& operator=(const Datacenter&) = delete;

  [[nodiscard]] const HostTable& hosts() const { return hosts_.table(); }
  [[nodiscard]] const HostLog& log() const { return log_; }
  [[nodiscard]] std::optional<HostIndex> host_of(InstanceIndex instance) const;
  [[nodiscard]] std::span<const RunningSpot> spots_on(HostIndex host) const {
    return hosts_.spots_on(host);
  }

  // Errors: ConfigError when the instance runs already, the request is of the other class, or it
  // does not fit (a VM: beside the VMs; a spot: beside VMs and spots).
  void add_vm(HostIndex host, const Request& request);
  void add_spot(HostIndex host, const Request& request, SimTime ends_at);

  /// Errors: ConfigError when it does not run.
  void remove(InstanceIndex instance);

  /// As remove, for a spot. Errors: ConfigError when it is a VM.
  void evict(InstanceIndex spot);

  /// Evicts the victims and adds the VM, or does nothing.
  ///
  /// Errors: PolicyError when the victims are not on the host or do not free enough; ConfigError as
  /// for add_vm.
  void add_vm_in_place_of(std::span<const InstanceIndex> victims, HostIndex host,
                          const Request& request);

  /// Carries out a choice. Returns false, with nothing done, when the host has changed since it was
  /// offered. Errors: as add_vm_in_place_of.
  [[nodiscard]] bool commit(const Choice& choice, const Request& request);

 private:
  struct Placed {
    HostIndex host;
    ResourceVector resources;
    bool is_spot;
  };

  void require_new(InstanceIndex instance) const;
  void require_vm(const Request& request) const;
  void require_fit(HostIndex host, const Request& request, Sees sees) const;
  [[nodiscard]] const Placed& placed(InstanceIndex instance) const;

  ProviderHosts hosts_;
  HostLog log_;
  std::map<InstanceIndex, Placed> placed_;
};

}  // namespace cospot
