#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/provider/provider_hosts.hpp"
#include "core/random.hpp"
#include "sim_harness/base/interrupt/stop_token.hpp"
#include "sim_harness/provider/loop/due_queue.hpp"
#include "sim_harness/provider/loop/simulation_parts.hpp"
#include "sim_harness/provider/notices/reserve_keeper.hpp"
#include "sim_harness/provider/run/allocation_timer.hpp"
#include "sim_harness/provider/run/event_schedule.hpp"
#include "sim_harness/provider/run/forecast_owner.hpp"
#include "sim_harness/provider/run/instance_row.hpp"
#include "sim_harness/provider/run/level_outcome.hpp"
#include "sim_harness/provider/run/life_result.hpp"
#include "sim_harness/provider/run/run_observer.hpp"
#include "sim_harness/provider/run/run_result.hpp"
#include "sim_harness/provider/run/run_timeline.hpp"
#include "sim_harness/provider/schedulers/scheduler_pool.hpp"

namespace cospot {

/// The reason for which SimulationEngine::run returned.
enum class RunPause : std::uint8_t {
  kFinished,    ///< all events are processed
  kContention,  ///< the next event is a VM whose first-ranked host needs an eviction
  kTime,        ///< the next event is not before the given time
  kRejection,   ///< the last event was a VM that found no host
  kArrival,  ///< the next event is the arrival of the given instance, or of one of the given class
};

/// The moments at which a run pauses; none by default. The first and last members require a run
/// without waits (SimulationParts).
struct PauseAt {
  bool contention = false;
  bool rejection = false;
  SimTime time = kNever;
  InstanceIndex arrival = UINT32_MAX;
  std::optional<InstanceClass> arrivals_of{};
  /// The run finishes after so many events of the schedule.
  std::size_t events = SIZE_MAX;
};

/// One run: replays a schedule against a datacenter under an allocator, with the given parts. This
/// is the only loop that adds and removes a provider's instances. Semantics: CoSpot, sections 3 and
/// 4; for what the paper leaves open, and for the parts, docs/semantics.md.
///
/// Events come from two sources: the schedule, which is sorted, and a queue of events that it does
/// not contain, which is empty without waits. An engine without waits can be forked, so that runs
/// share everything before the decision at which they start to differ.
class SimulationEngine {
 public:
  /// `schedule` outlives the engine.
  SimulationEngine(const EventSchedule& schedule, HostTable hosts, const Allocator& allocator,
                   const SimulationParts& parts = {});

  class AtCut;
  /// For the next cut of the schedule, of VMs and spots: from the end of the one before it, as
  /// at_cut() of an engine described it; nullptr: for the first cut. The results are those of the
  /// cut's window.
  SimulationEngine(const EventSchedule& schedule, HostTable hosts, const Allocator& allocator,
                   const AtCut* from);

  /// Continues from the state of `other` with another allocator, whose VM and spot chains must have
  /// ranked the hosts of all past decisions as those of `other` did. Neither may have waits, a
  /// loose ranking or a forecast owner.
  SimulationEngine(const SimulationEngine& other, Allocator allocator);

  SimulationEngine(const SimulationEngine&) = delete;
  SimulationEngine& operator=(const SimulationEngine&) = delete;

  /// Sets the observer of all further events, including departures after the last arrival; nullptr
  /// removes it.
  void set_observer(RunObserver* observer) {
    observer_ = observer;
    decision_observer_ = observer != nullptr && observer->sees_decisions() ? observer : nullptr;
  }

  /// Passes the forecasts of `owner` to the policies with every further request.
  void set_forecasts(ForecastOwner* owner) { forecasts_ = owner; }

  /// Processes events until none are left or a pause is due. Throws Interrupted when the StopToken
  /// of the thread that made the engine requests it.
  RunPause run(const PauseAt& pause = {});

  // After a pause before an arrival, of a run without waits: a decision from outside
  // (engine_decisions.cpp).

  /// The handshake's answer to next_request(), a VM's, by a whole offer that the observer sees.
  template <class Observer = const HandshakeObserver>
  [[nodiscard]] Choice answer(Observer&& observer = {}) {
    const Request request = next_request();
    return hosts_.answer(request, hosts_.ranking_for(request), observer);
  }
  /// The spot side's answer to an offer of these hosts.
  [[nodiscard]] Choice choose(const Offer& offer) { return hosts_.choose(offer); }
  /// Processes the arrival by this choice in place of the policies'; without a host the request is
  /// rejected.
  ///
  /// Errors: ConfigError, and nothing has changed, when a victim is no spot on the host, the host
  /// lacks capacity without the victims, or needs no victims.
  void decide(const Choice& choice);

  /// Requires a finished run: results of the highest and the lowest level, VMs and spots.
  [[nodiscard]] RunResult result() const;
  /// The highest level first.
  [[nodiscard]] std::vector<LevelOutcome> level_outcomes() const;
  /// Requires a plan: the disruptions and their effects.
  [[nodiscard]] LifeResult life_result() const;
  /// Requires a reserve: the notices that evicted spots received.
  [[nodiscard]] NoticeResult notice_result() const;
  /// Requires schedulers: what they did.
  [[nodiscard]] SchedulerResult scheduler_result() const;

  [[nodiscard]] const HostTable& hosts() const { return hosts_.table(); }
  [[nodiscard]] const ProviderHosts& datacenter() const { return hosts_; }
  [[nodiscard]] const Allocator& allocator() const { return hosts_.allocator(); }
  [[nodiscard]] std::span<const RunningSpot> spots_on(HostIndex host) const {
    return hosts_.spots_on(host);
  }
  /// The host on which an instance runs; kNoHost before, after, or if it was rejected.
  [[nodiscard]] HostIndex host_of(InstanceIndex instance) const { return hosts_.host_of(instance); }
  [[nodiscard]] const ScheduledEvent& next_event() const { return schedule_->events[position_]; }
  [[nodiscard]] Request next_request() const { return request_of(next_event()); }
  [[nodiscard]] std::size_t position() const { return position_; }
  /// Requires an engine for a cut, whose events have all been processed.
  [[nodiscard]] AtCut at_cut() const;

 private:
  /// The interval, in events (a power of two), at which a run checks for a stop request: short
  /// enough even where each event scans millions of hosts or calls Python.
  static constexpr std::size_t kEventsBetweenPolls = 16;

  using Stage = InstanceRow::Stage;

  /// Losses of one level.
  struct Losses {
    std::array<std::uint64_t, kCausesBeforePlacement> not_placed{};
    std::uint64_t evictions = 0;
    std::uint64_t commits = 0;
    std::uint64_t conflicts = 0;
    std::array<Revenue, kLossCauses> revenue{};

    void add(LossCause cause, Revenue amount) {
      revenue[static_cast<std::size_t>(cause)] += amount;
    }
    void count(LossCause cause) { ++not_placed[static_cast<std::size_t>(cause)]; }
    void uncount(LossCause cause) { --not_placed[static_cast<std::size_t>(cause)]; }
  };

  /// By class, VMs first.
  using LostRevenue = std::array<std::array<Revenue, kLossCauses>, 2>;

  // The loop, and instances that are placed once (simulation_engine.cpp).

  template <bool kWithPauses, bool kHasWaits>
  RunPause run_events(const PauseAt& pause);
  [[nodiscard]] bool queue_comes_first(bool has_event) const;
  [[nodiscard]] bool is_due(ScheduledEvent event, const PauseAt& pause, RunPause& reason) const;
  [[nodiscard]] bool is_lowest(ScheduledEvent event) const {
    const PriorityLevels& levels = hosts_.levels();
    return levels.are_classes() ? event.is_spot() : level_of(event) + 1 == levels.count;
  }
  [[nodiscard]] std::size_t level_of(ScheduledEvent event) const {
    const PriorityLevels& levels = hosts_.levels();
    if (levels.are_classes()) return event.is_spot() ? 1 : 0;
    return levels.level_of[event.instance];
  }
  [[nodiscard]] Losses& losses_of(const Request& request) {
    return lost_[hosts_.levels().of(request)];
  }
  void lose_after_cuts(std::size_t level, LossCause cause, ResourceAmount vcpus, SimTime end);
  [[nodiscard]] SimTime end_of(InstanceIndex instance) const {
    return rows_.empty() ? schedule_->end[instance] : rows_[instance].ends_at;
  }
  [[nodiscard]] SimTime time_of(ScheduledEvent event) const {
    return event.is_departure() ? schedule_->end[event.instance] : schedule_->start[event.instance];
  }
  bool arrive_vm(ScheduledEvent event, const PauseAt& pause, RunPause& reason);
  void arrive_spot(const Request& request);
  void depart(ScheduledEvent event);
  void refresh_forecasts(SimTime now);
  [[nodiscard]] std::vector<TimelineDay> days() const;
  [[nodiscard]] Request request_of(ScheduledEvent arrival) const {
    Request request = schedule_->request(arrival);
    // An instance that may evict others is requested as a VM.
    request.instance_class = is_lowest(arrival) ? InstanceClass::kSpot : InstanceClass::kVm;
    request.placement = hosts_.placement_of(arrival.instance);
    if (forecasts_ != nullptr) add_forecasts(request);
    return request;
  }
  void add_forecasts(Request& request) const;

  [[nodiscard]] HostIndex contend(const Request& request, HostIndex first_ranked);
  [[nodiscard]] HostIndex answer_whole_offer(const Request& request);
  [[nodiscard]] HostIndex find_host_of_spot(const Request& request);
  void place(HostIndex host, const Request& request);
  void reject(const Request& request, LossCause cause);
  void evict(HostIndex host, std::span<const InstanceIndex> victims, const Request& for_vm);
  /// Removes a spot from its host before its end.
  void stop_spot(InstanceIndex instance, HostIndex host, LossCause cause, SimTime now);
  [[nodiscard]] bool is_too_large(const Request& request) const {
    return hosts_.levels().of(request) == 0 && !hosts().fits_an_empty_host(request.resources());
  }

  /// Notifies all observers; `call` gets an InstanceObserver.
  template <class Call>
  void tell(const Call& call) const {
    if (observer_ != nullptr) call(*observer_);
    tell_counting(call);
  }
  /// Notifies those that count running instances: they see a move as a departure and a placement.
  template <class Call>
  void tell_counting(const Call& call) const {
    if (forecasts_ != nullptr) call(*forecasts_);
    if (timeline_) call(*timeline_);
  }
  void let_time_pass(SimTime until) {
    if (observer_ != nullptr) observer_->time_passes(hosts_, until);
  }
  void tell(LifeEventKind kind, InstanceIndex instance, HostIndex host, ResourceVector size = {}) {
    if (observer_ != nullptr) observer_->happened({now_, kind, instance, host, size});
  }

  void require_possible(const Choice& choice, const Request& request) const;

  // Instances that may retry, or that wait for a decision (engine_waits.cpp).

  void add_rows();
  void push(const Due& due);
  void happen(const Due& due);
  [[nodiscard]] Request request_of(InstanceIndex instance) const;
  void ask(const Ask& asked);
  void decide_at_once(const Ask& asked);
  [[nodiscard]] HostIndex find_host(const Request& request);
  void answered(const Ask& asked, bool had_run, bool is_placed);
  void regain(const Request& request);
  void count_as_lost(const Request& request, LossCause cause);
  void started(const Request& request, HostIndex host);
  void stopped(InstanceIndex instance, Revenue lost, LossCause cause);
  void depart_row(InstanceIndex instance);
  void depart_if_due(InstanceIndex instance);
  void begin_waiting(InstanceIndex instance);
  void wait_or_give_up(InstanceIndex instance, SimTime at_least = SimTime{0});
  void retry(InstanceIndex instance);
  void add_work(SpotWorkResult& result) const;
  [[nodiscard]] bool is_current(const Due& due, Stage stage) const {
    const InstanceRow& row = rows_[due.subject];
    return row.stage == stage && row.version == due.version;
  }
  [[nodiscard]] const Backoff& rule_of(const InstanceRow& row) const {
    return row.level > 0 && row.was_placed ? parts_.plan->returning_spots : parts_.plan->retries;
  }
  [[nodiscard]] bool may_ask_again(const InstanceRow& row) const {
    if (parts_.plan == nullptr) return false;
    const Backoff& rule = rule_of(row);
    return rule.patience > SimTime{0} && (row.level > 0 ? rule.spots : rule.vms);
  }

  // Disruptions from a plan (engine_outages.cpp).

  void plan_outages_and_resizes();
  void drain(const Outage& outage);
  void go_down(const Outage& outage);
  void come_back(const Outage& outage);
  void migrate(InstanceIndex instance);
  void resize(const Resize& resize);
  void take_vm(InstanceIndex instance, HostIndex host);
  void put_vm(InstanceIndex instance, HostIndex host);
  void move_vm(InstanceIndex instance, HostIndex from, HostIndex to);
  void learn_of_move(InstanceIndex instance, HostIndex from, HostIndex to);

  // The reserve, and notices to spots on it (engine_notices.cpp).

  [[nodiscard]] SimTime next_time(bool has_event) const;
  void keep_reserve();
  void tell_withdrawn(std::span<const Notice> notices);
  void end_notices();

  // Several schedulers (engine_schedulers.cpp).

  enum class After : std::uint8_t { kDone, kDecideAgain, kDecideLater };
  void begin_next(std::size_t number);
  void begin_decision(std::size_t number);
  void end_decision(std::size_t number);
  [[nodiscard]] bool is_withdrawn(const Ask& asked) const;
  void withdraw(const Ask& asked);
  [[nodiscard]] After try_commit(Scheduler& scheduler);
  [[nodiscard]] Choice decide(Scheduler& scheduler, const Request& request);
  [[nodiscard]] std::optional<Choice> accepted(const Choice& choice, const Request& request);
  [[nodiscard]] bool passes(HostIndex host, const Request& request);
  void carry_out(const Choice& planned, const Choice& choice, const Request& request);
  [[nodiscard]] After declined(Scheduler& scheduler, const Choice& choice, const Request& request);
  void lose(const Ask& asked, const Request& request, LossCause cause);
  void note_change(HostChange change) {
    if (!schedulers_) return;
    change.time = now_;
    schedulers_->note(change);
  }

  const EventSchedule* schedule_;
  SimulationParts parts_;
  ProviderHosts hosts_;
  RunObserver* observer_ = nullptr;
  RunObserver* decision_observer_ = nullptr;
  ForecastOwner* forecasts_ = nullptr;
  std::unique_ptr<RunTimeline> timeline_;
  StopToken stop_ = current_stop_token();

  std::size_t position_ = 0;
  std::vector<Losses> lost_;  // per level
  std::uint64_t vm_too_large_ = 0;
  std::uint64_t promises_ = 0;
  std::uint64_t promises_broken_ = 0;
  Revenue first_hour_revenue_ = 0;  // from spots stopped within their first hour
  AllocationTimer timer_;
  AllocationTimer spot_timer_;

  // Used only for a cut.
  std::size_t cut_ = 0;                  // its number
  std::vector<LostRevenue> after_cuts_;  // by cut: the part of lost_ that comes after its window

  // Used only with waits.
  DueQueue queue_;
  std::vector<InstanceRow> rows_;
  SimTime now_ = SimTime::min();
  Revenue resizes_requested_ = 0;

  // Used only with a plan.
  LifeResult life_;
  std::vector<std::vector<InstanceIndex>> vms_on_;  // per host, in order of arrival
  std::uint32_t moves_ = 0;         // evacuations and migrations so far; orders them
  std::unique_ptr<SpotWork> work_;  // with a rule for evictions

  // Used only with a reserve.
  std::unique_ptr<ReserveKeeper> reserve_;
  bool is_reserve_kept_ = false;  // since the last event

  // Used only with schedulers.
  std::unique_ptr<SchedulerPool> schedulers_;
  // begun so far; all take the same time, so the first to begin ends first
  std::uint32_t decisions_ = 0;
  ChainScratch scratch_;
  std::vector<RankedHost> ranked_;

  std::unique_ptr<Random> random_;  // for a loose ranking
};

/// A run at the end of a cut. Small: of the instances it has only the hosts.
class SimulationEngine::AtCut {
  friend class SimulationEngine;

  std::size_t cut_ = 0;
  std::vector<HostIndex> host_of_;  // of those in ScheduleCut::running
  std::vector<Losses> lost_;
  std::vector<LostRevenue> after_cuts_;
  std::uint64_t vm_too_large_ = 0;
  Revenue first_hour_revenue_ = 0;
};

}  // namespace cospot
