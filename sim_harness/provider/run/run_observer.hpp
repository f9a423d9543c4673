#pragma once

#include <cstdint>

#include "core/handshake/spot_side.hpp"
#include "core/model/resource_vector.hpp"
#include "core/model/sim_time.hpp"

namespace cospot {

class ProviderHosts;

inline constexpr InstanceIndex kNoInstance = UINT32_MAX;

/// Sees what becomes of instances, of which it overrides what it wants to know. What it sees
/// changes no decision and costs only its own time.
class InstanceObserver {
 public:
  virtual ~InstanceObserver() = default;

  /// Comes before the VM that needs the room is placed. For a reserve there is no VM, but the time:
  /// its instance is kNoInstance.
  virtual void evicted(InstanceIndex /*victim*/, HostIndex /*host*/, const Request& /*for_vm*/) {}
  virtual void placed(const Request& /*request*/, HostIndex /*host*/) {}
  virtual void rejected(const Request& /*request*/) {}
  virtual void departed(InstanceIndex /*instance*/, HostIndex /*host*/, SimTime /*time*/) {}
};

/// What only a run with waits knows (SimulationParts).
enum class LifeEventKind : std::uint8_t {
  kHostDrained,      ///< the host takes nobody new
  kHostDown,         ///< nothing runs on it any more
  kHostBack,         ///< it takes instances again
  kLoss,             ///< a spot is gone with its host, by a failure
  kStop,             ///< a spot is gone with its host, by maintenance
  kEvacuation,       ///< a VM leaves the host that is down; whether it finds another one follows
  kMigration,        ///< a VM runs on this host from now on
  kResize,           ///< a VM has this size, on this host, from now on
  kResizeRefused,    ///< it keeps its size
  kGiveUp,           ///< it does not ask again
  kDecline,          ///< the host has changed since a scheduler decided for it
  kNotice,           ///< a spot is told that it has to leave a reserve
  kNoticeWithdrawn,  ///< it may stay after all
};

struct LifeEvent {
  SimTime time{0};
  LifeEventKind kind = LifeEventKind::kHostDown;
  InstanceIndex instance = kNoInstance;
  HostIndex host = kNoHost;
  ResourceVector size{};  ///< of a resize: the one that was asked for

  friend bool operator==(const LifeEvent&, const LifeEvent&) = default;
};

/// Watches a run event by event. An engine with an observer makes whole offers, so that the
/// observer sees every offered host; its decisions are the same as without. A request, and a
/// placement or a rejection, come with every try.
class RunObserver : public InstanceObserver {
 public:
  /// Nothing happens from the last event until `until`: `hosts` are as they are now all that time.
  /// Comes before every event, whether time passes or not, and at the end with kNever.
  virtual void time_passes(const ProviderHosts& /*hosts*/, SimTime /*until*/) {}
  virtual void requested(const Request& /*request*/) {}
  /// The VM chain's offer, before the spot side has answered.
  virtual void offered(const Offer& /*offer*/) {}
  virtual void happened(const LifeEvent& /*event*/) {}
  /// A request is about to be decided on what `hosts` says: the datacenter, or a scheduler's view.
  virtual void deciding(const ProviderHosts& /*hosts*/, const Request& /*request*/) {}
  /// What came of it: a host with what must go, or none. A scheduler's may still be declined.
  virtual void decided(const Request& /*request*/, const Choice& /*choice*/) {}
};

/// Shows a RunObserver the offers of a handshake.
class OfferWatch : public HandshakeObserver {
 public:
  /// The time is that at which an offer is told of.
  OfferWatch(RunObserver& observer, SimTime now) : observer_(&observer), now_(now) {}

  void offered(const Offer& offer) const {
    if (offer.hosts.empty()) return;
    Offer told = offer;
    told.request.time = now_;
    observer_->offered(told);
  }

 private:
  RunObserver* observer_;
  SimTime now_;
};

}  // namespace cospot
