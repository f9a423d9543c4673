#pragma once

#include <cstdint>

#include "core/handshake/spot_side.hpp"
#include "core/model/resource_vector.hpp"
#include "core/model/sim_time.hpp"

namespace cospot {

class ProviderHosts;

inline constexpr InstanceIndex kNoInstance = UINT32_MAX;

/// Observes instances; implementations override the events they need. It cannot change a decision
/// and costs only its own time.
class InstanceObserver {
 public:
  virtual ~InstanceObserver() = default;

  /// Called before the VM that needs the capacity is placed. For a reserve, `for_vm` has only a
  /// time, and its instance is kNoInstance.
  virtual void evicted(InstanceIndex /*victim*/, HostIndex /*host*/, const Request& /*for_vm*/) {}
  virtual void placed(const Request& /*request*/, HostIndex /*host*/) {}
  virtual void rejected(const Request& /*request*/) {}
  virtual void departed(InstanceIndex /*instance*/, HostIndex /*host*/, SimTime /*time*/) {}
};

/// Events that occur only in a run with waits (SimulationParts).
enum class LifeEventKind : std::uint8_t {
  kHostDrained,  ///< the host takes no new instances
  kHostDown,     ///< nothing runs on it any more
  kHostBack,     ///< it takes instances again
  kLoss,         ///< a spot is lost when its host fails
  kStop,         ///< a spot is stopped by its host's maintenance
  /// A VM leaves a host that is down; a following event tells whether it finds another.
  kEvacuation,
  kMigration,        ///< a VM runs on this host from now on
  kResize,           ///< a VM has this size, on this host, from now on
  kResizeRefused,    ///< it keeps its size
  kGiveUp,           ///< no more retries
  kDecline,          ///< the host has changed since the scheduler's decision
  kNotice,           ///< a spot is told to leave a reserve
  kNoticeWithdrawn,  ///< the spot may stay
};

struct LifeEvent {
  SimTime time{0};
  LifeEventKind kind = LifeEventKind::kHostDown;
  InstanceIndex instance = kNoInstance;
  HostIndex host = kNoHost;
  ResourceVector size{};  ///< the size a resize asks for

  friend bool operator==(const LifeEvent&, const LifeEvent&) = default;
};

/// Observes a run event by event. An engine with an observer makes whole offers, so that the
/// observer sees every offered host; the decisions do not change. Every try produces a request
/// event and a placement or a rejection.
class RunObserver : public InstanceObserver {
 public:
  /// False: it looks at no decision, only at what comes of it, and the engine makes no offers.
  [[nodiscard]] virtual bool sees_decisions() const { return true; }
  /// Nothing happens from the last event until `until`: `hosts` stay as they are. Called before
  /// every event, even if no time has passed, and at the end with kNever.
  virtual void time_passes(const ProviderHosts& /*hosts*/, SimTime /*until*/) {}
  virtual void requested(const Request& /*request*/) {}
  /// The VM chain's offer, before the spot side has answered.
  virtual void offered(const Offer& /*offer*/) {}
  virtual void happened(const LifeEvent& /*event*/) {}
  /// A request is about to be decided on `hosts`: the datacenter, or a scheduler's view of it.
  virtual void deciding(const ProviderHosts& /*hosts*/, const Request& /*request*/) {}
  /// The decision: a host and its victims, or none. A scheduler's decision may still be declined.
  virtual void decided(const Request& /*request*/, const Choice& /*choice*/) {}
};

/// Passes the offers of a handshake to a RunObserver.
class OfferWatch : public HandshakeObserver {
 public:
  /// `now` is the time that the observer sees in an offer.
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
