#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/provider/provider_hosts.hpp"
#include "sim_harness/engine/allocation_timer.hpp"
#include "sim_harness/engine/event_schedule.hpp"
#include "sim_harness/engine/forecast_owner.hpp"
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

/// What became of one priority level. Revenue as in RunResult: inside the window, in
/// vcpu-microseconds.
struct LevelResult {
  std::uint64_t requests = 0;
  std::uint64_t rejected = 0;
  std::uint64_t evictions = 0;
  Revenue revenue_requested = 0;
  Revenue revenue = 0;

  friend bool operator==(const LevelResult&, const LevelResult&) = default;
};

/// One run: replays a schedule against a datacenter under an allocator. Semantics: CoSpot, sections
/// 3 and 4; where the paper leaves room, and for more than two priority levels,
/// docs/semantics.md.
///
/// An engine can be forked: runs that differ only from some decision on share what came before.
class SimulationEngine {
 public:
  /// Args: schedule: outlives the engine. level_of: of each row of the workload, for an allocator
  /// of that many priority levels; outlives it. Empty: VMs and spots.
  SimulationEngine(const EventSchedule& schedule, HostTable hosts, const Allocator& allocator,
                   std::span<const std::uint8_t> level_of = {});

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

  /// Of a run that is over: the highest and the lowest level, and all evictions.
  [[nodiscard]] RunResult result() const;
  /// The highest level first.
  [[nodiscard]] std::vector<LevelResult> level_results() const;

  [[nodiscard]] const HostTable& hosts() const { return hosts_.table(); }
  [[nodiscard]] const Allocator& allocator() const { return hosts_.allocator(); }
  [[nodiscard]] std::span<const RunningSpot> spots_on(HostIndex host) const {
    return hosts_.spots_on(host);
  }
  /// The host an instance runs on; kNoHost before, after, or when it was rejected.
  [[nodiscard]] HostIndex host_of(InstanceIndex instance) const { return hosts_.host_of(instance); }
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
  [[nodiscard]] std::size_t level_of(const ScheduledEvent& event) const {
    const PriorityLevels& levels = hosts_.levels();
    if (levels.are_classes()) return event.is_spot() ? 1 : 0;
    return levels.level_of[event.instance];
  }
  /// An instance of the lowest level displaces nobody.
  [[nodiscard]] bool is_lowest(const ScheduledEvent& event) const {
    return hosts_.levels().are_classes() ? event.is_spot()
                                         : level_of(event) + 1 == hosts_.levels().count;
  }
  bool arrive_vm(const ScheduledEvent& event, const PauseAt& pause, RunPause& reason);
  void arrive_spot(const ScheduledEvent& event);
  void depart(const ScheduledEvent& event);
  void refresh_forecasts(const ScheduledEvent& event);
  [[nodiscard]] Request request_of(const ScheduledEvent& arrival) const {
    Request request = schedule_->request(arrival);
    // Whoever may displace others asks as a VM does.
    request.instance_class = is_lowest(arrival) ? InstanceClass::kSpot : InstanceClass::kVm;
    request.placement = hosts_.placement_of(arrival.instance);
    if (forecasts_ != nullptr) add_forecasts(request);
    return request;
  }
  void add_forecasts(Request& request) const;
  [[nodiscard]] SimTime time_of(const ScheduledEvent& event) const {
    return event.is_departure() ? schedule_->end[event.instance] : schedule_->start[event.instance];
  }
  /// Tells whoever watches; `call` gets an InstanceObserver.
  template <class Call>
  void tell(const Call& call) const {
    if (observer_ != nullptr) call(*observer_);
    if (forecasts_ != nullptr) call(*forecasts_);
  }

  /// What was lost of a level.
  struct Losses {
    std::uint64_t rejected = 0;
    std::uint64_t evictions = 0;
    Revenue revenue = 0;
  };

  [[nodiscard]] HostIndex contend(const Request& request, HostIndex first_ranked);
  [[nodiscard]] HostIndex answer_whole_offer(const Request& request);
  void place(HostIndex host, const Request& request);
  void reject(const ScheduledEvent& event, const Request& request);
  void evict(HostIndex host, std::span<const InstanceIndex> victims, const Request& for_vm);

  const EventSchedule* schedule_;
  ProviderHosts hosts_;
  RunObserver* observer_ = nullptr;
  ForecastOwner* forecasts_ = nullptr;
  StopToken stop_ = current_stop_token();

  std::size_t position_ = 0;
  std::vector<Losses> lost_;  // of each level
  std::uint64_t vm_too_large_ = 0;
  Revenue first_hour_revenue_ = 0;  // earned by spots that were evicted in their first hour
  AllocationTimer timer_;
};

}  // namespace cospot
