#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bindings/hosts.hpp"
#include "core/handshake/offer.hpp"
#include "core/model/host_table.hpp"

namespace cospot::bindings {

/// Hosts and the instances on them with one writer, for a caller who places and evicts step by
/// step: Datacenter in Python. Unlike the engine's, its instances have any numbers.
class Datacenter {
 public:
  explicit Datacenter(const HostTable& hosts);

  [[nodiscard]] const std::shared_ptr<HostTable>& hosts() const { return hosts_; }
  [[nodiscard]] const std::shared_ptr<HostLog>& log() const { return log_; }
  [[nodiscard]] std::optional<HostIndex> host_of(InstanceIndex instance) const;
  [[nodiscard]] const std::vector<RunningSpot>& spots_on(HostIndex host) const {
    return spots_on_.at(host);
  }

  // Errors: ConfigError when the instance runs already, the request is of the other class, or it
  // does not fit (a VM: beside the VMs; a spot: beside VMs and spots).
  void add_vm(HostIndex host, const Request& request);
  void add_spot(HostIndex host, const Request& request, SimTime ends_at);

  /// Errors: ConfigError when it does not run.
  void remove(InstanceIndex instance);

  /// As remove, for a spot. Errors: ConfigError when it is a VM.
  void evict(InstanceIndex spot);

  /// Evicts the victims and adds the VM, or does nothing and returns false when the host has
  /// changed since it was offered.
  ///
  /// Errors: PolicyError when the victims do not free enough.
  bool commit(const Choice& choice, const Request& request);

 private:
  struct Placed {
    HostIndex host;
    ResourceVector resources;
    bool is_spot;
  };

  void require_new(InstanceIndex instance) const;
  void require_room(HostIndex host, const Request& request, Sees sees) const;
  [[nodiscard]] const Placed& placed(InstanceIndex instance) const;

  std::shared_ptr<HostTable> hosts_;
  std::shared_ptr<HostLog> log_ = std::make_shared<HostLog>();
  std::map<InstanceIndex, Placed> placed_;
  std::vector<std::vector<RunningSpot>> spots_on_;  // oldest placement first
};

}  // namespace cospot::bindings
