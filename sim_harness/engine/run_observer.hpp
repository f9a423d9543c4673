#pragma once

#include "core/handshake/spot_side.hpp"
#include "core/model/sim_time.hpp"

namespace cospot {

/// Sees what becomes of instances. What it sees changes no decision and costs only its own time.
class InstanceObserver {
 public:
  virtual ~InstanceObserver() = default;

  /// Comes before the VM that needs the room is placed.
  virtual void evicted(InstanceIndex victim, HostIndex host, const Request& for_vm) = 0;
  virtual void placed(const Request& request, HostIndex host) = 0;
  virtual void rejected(const Request& request) = 0;
  virtual void departed(InstanceIndex instance, HostIndex host, SimTime time) = 0;
};

/// Watches a run event by event. An engine with an observer makes whole offers, so that the
/// observer sees every offered host; its decisions are the same as without.
class RunObserver : public InstanceObserver {
 public:
  virtual void requested(const Request& request) = 0;
  /// The VM chain's offer, before the spot side has answered.
  virtual void offered(const Offer& offer) = 0;
};

/// Shows a RunObserver the offers of a handshake.
class OfferWatch : public HandshakeObserver {
 public:
  explicit OfferWatch(RunObserver& observer) : observer_(&observer) {}

  void offered(const Offer& offer) const {
    if (!offer.hosts.empty()) observer_->offered(offer);
  }

 private:
  RunObserver* observer_;
};

}  // namespace cospot
