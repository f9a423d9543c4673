#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/handshake/handshake.hpp"
#include "core/model/host_table.hpp"
#include "core/model/instance_table.hpp"
#include "core/model/vm_load.hpp"
#include "core/ranking/host_ranking.hpp"
#include "sim_harness/engine/allocation_timer.hpp"
#include "sim_harness/engine/allocator.hpp"
#include "sim_harness/engine/event_schedule.hpp"
#include "sim_harness/engine/forecast_owner.hpp"
#include "sim_harness/engine/placements.hpp"
#include "sim_harness/engine/run_observer.hpp"
#include "sim_harness/engine/run_result.hpp"
#include "sim_harness/interrupt/stop_token.hpp"

namespace cospot {

/// Why a call of SimulationEngine::run returned.
enum class RunPause : std::uint8_t {
  kFinished,    ///< all events were processed
  kContention,  ///< the next event is a VM whose first-ranked host needs an eviction
  kTime,        ///< the next event is not before the given time
  kRejection,   ///< the last event was a VM that found no host
  kArrival,     ///< the next event is the arrival of the given instance
};

/// Where a run pauses; by default nowhere.
struct PauseAt {
  bool contention = false;
  bool rejection = false;
  SimTime time = kNever;
  InstanceIndex arrival = UINT32_MAX;
};

/// One run: replays a schedule against a datacenter under an allocator. The only writer of its
/// tables. Semantics: CoSpot, sections 3 and 4; where the paper leaves room, docs/semantics.md.
///
/// An engine can be forked: runs that differ only from some decision on share what came before.
class SimulationEngine {
 public:
  /// `schedule` outlives the engine.
  SimulationEngine(const EventSchedule& schedule, HostTable hosts, Allocator allocator);

  /// Continues from the state of `other` with another allocator (the VM and spot chains must rank
  /// the hosts that were decided so far as those of `other` did). Neither has a forecast owner.
  SimulationEngine(const SimulationEngine& other, Allocator allocator);

  SimulationEngine(const SimulationEngine&) = delete;
  SimulationEngine& operator=(const SimulationEngine&) = delete;

  /// Watches the events from now on, departures after the last arrival included; nullptr stops.
  void set_observer(RunObserver* observer) { observer_ = observer; }

  /// Hands the forecasts of `owner` to the policies with every request from now on.
  void set_forecasts(ForecastOwner* owner) { forecasts_ = owner; }

  /// Processes events until there is none left or a pause is due. Throws Interrupted when the
  /// StopToken asks that the thread had when it made the engine.
  RunPause run(const PauseAt& pause = {});

  [[nodiscard]] RunResult result() const;

  [[nodiscard]] const HostTable& hosts() const { return hosts_; }
  [[nodiscard]] const Allocator& allocator() const { return allocator_; }
  [[nodiscard]] std::span<const RunningSpot> spots_on(HostIndex host) const {
    return instances_.spots_on(host);
  }
  /// The host an instance runs on; kNoHost before, after, or when it was rejected.
  [[nodiscard]] HostIndex host_of(InstanceIndex instance) const {
    return instances_.host_of(instance);
  }
  [[nodiscard]] const ScheduledEvent& next_event() const { return schedule_->events[position_]; }
  [[nodiscard]] Request next_request() const { return request_of(next_event()); }
  [[nodiscard]] std::size_t position() const { return position_; }

 private:
  /// Every so many events (a power of two) a run asks whether it shall end: often enough also where
  /// each event scans millions of hosts or asks Python.
  static constexpr std::size_t kEventsBetweenPolls = 16;

  template <bool kWithPauses>
  RunPause run_events(const PauseAt& pause);
  [[nodiscard]] bool is_due(const ScheduledEvent& event, const PauseAt& pause,
                            RunPause& reason) const;
  bool arrive_vm(const ScheduledEvent& event, const PauseAt& pause, RunPause& reason);
  void arrive_spot(const ScheduledEvent& event);
  void depart(const ScheduledEvent& event);
  void refresh_forecasts(const ScheduledEvent& event);
  [[nodiscard]] Request request_of(const ScheduledEvent& arrival) const {
    Request request = schedule_->request(arrival);
    if (!placements_.empty()) request.placement = placements_.of(arrival.instance);
    if (forecasts_ != nullptr) add_forecasts(arrival, request);
    return request;
  }
  void add_forecasts(const ScheduledEvent& arrival, Request& request) const;
  [[nodiscard]] SimTime time_of(const ScheduledEvent& event) const {
    return event.is_departure() ? schedule_->end[event.instance] : schedule_->start[event.instance];
  }
  /// Tells whoever watches; `call` gets an InstanceObserver.
  template <class Call>
  void tell(const Call& call) const {
    if (observer_ != nullptr) call(*observer_);
    if (forecasts_ != nullptr) call(*forecasts_);
  }

  [[nodiscard]] HostIndex contend(const Request& request, HostIndex first_ranked);
  [[nodiscard]] double vm_load() const { return load_ ? load_->of_scarcest() : 0; }
  [[nodiscard]] auto spots_of_host() const {
    return [this](HostIndex host) { return instances_.spots_on(host); };
  }
  [[nodiscard]] HostIndex answer_whole_offer(const Request& request);
  void evict(HostIndex host, std::span<const InstanceIndex> victims, const Request& for_vm);
  void place_vm(HostIndex host, const Request& request);
  void reject_vm(const Request& request);
  RunningSpot remove_spot(HostIndex host, InstanceIndex instance);
  void spots_changed(HostIndex host);
  void mark_stale(HostIndex host);
  void refresh_spot_ranking();

  const EventSchedule* schedule_;
  HostTable hosts_;
  InstanceTable instances_;
  Placements placements_;
  Allocator allocator_;
  std::unique_ptr<HostRanking> vm_ranking_;
  std::unique_ptr<HostRanking> spot_ranking_;
  bool vm_ranking_watches_spots_ = true;
  std::optional<VmLoad> load_;  // where OTN follows it
  Handshake handshake_;
  std::vector<InstanceIndex> victims_;  // scratch
  std::vector<HostIndex> stale_;        // hosts of whose changes the spot ranking has not heard
  std::vector<std::uint8_t> is_stale_;  // of each host
  RunObserver* observer_ = nullptr;
  ForecastOwner* forecasts_ = nullptr;
  StopToken stop_ = current_stop_token();

  std::size_t position_ = 0;
  std::uint64_t vm_rejected_ = 0;
  std::uint64_t vm_too_large_ = 0;
  std::uint64_t spot_rejected_ = 0;
  std::uint64_t evictions_ = 0;
  Revenue vm_revenue_lost_ = 0;
  Revenue spot_revenue_lost_ = 0;
  Revenue first_hour_revenue_ = 0;  // earned by spots that were evicted in their first hour
  AllocationTimer timer_;
};

}  // namespace cospot
