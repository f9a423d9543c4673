#pragma once

#include <cstdint>

#include "core/model/resource_vector.hpp"
#include "sim_harness/engine/run_observer.hpp"

namespace cospot {

/// What only a run with a LifePlan knows.
enum class LifeEventKind : std::uint8_t {
  kHostDrained,    ///< the host takes nobody new
  kHostDown,       ///< nothing runs on it any more
  kHostBack,       ///< it takes instances again
  kLoss,           ///< a spot is gone with its host, by a failure
  kStop,           ///< a spot is gone with its host, by maintenance
  kEvacuation,     ///< a VM leaves the host that is down; whether it finds another one follows
  kMigration,      ///< a VM runs on this host from now on
  kResize,         ///< a VM has this size, on this host, from now on
  kResizeRefused,  ///< it keeps its size
  kGiveUp,         ///< it does not ask again
};

inline constexpr InstanceIndex kNoInstance = UINT32_MAX;

struct LifeEvent {
  SimTime time{0};
  LifeEventKind kind = LifeEventKind::kHostDown;
  InstanceIndex instance = kNoInstance;
  HostIndex host = kNoHost;
  ResourceVector size{};  ///< of a resize: the one that was asked for

  friend bool operator==(const LifeEvent&, const LifeEvent&) = default;
};

/// Watches a run with a LifePlan: a request, and a placement or a rejection, come with every try.
class LifeObserver : public RunObserver {
 public:
  virtual void happened(const LifeEvent& event) = 0;
};

}  // namespace cospot
