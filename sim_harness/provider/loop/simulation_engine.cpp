// The loop, and instances that are placed once.

#include "sim_harness/provider/loop/simulation_engine.hpp"

#include <tuple>
#include <utility>

#include "sim_harness/provider/run/placement_checks.hpp"
#include "sim_harness/provider/schedulers/subset_ranking.hpp"

namespace cospot {
namespace {

/// A spot that is stopped sooner may be free for its customer. Source: CoSpot, Finding 8 (Amazon
/// EC2).
constexpr SimTime kFirstHour = std::chrono::hours(1);

}  // namespace

SimulationEngine::SimulationEngine(const EventSchedule& schedule, HostTable hosts,
                                   const Allocator& allocator, const SimulationParts& parts)
    : schedule_(&schedule),
      parts_(parts),
      hosts_(std::move(hosts), allocator, schedule.start.size(), schedule.make_placements(),
             {.count = allocator.between.size() + 2, .level_of = parts.level_of}),
      lost_(allocator.between.size() + 2) {
  require_placements_seen(schedule, *allocator.vm);
  for (const auto& chain : allocator.between) require_placements_seen(schedule, *chain);
  if (allocator.spot != nullptr) require_placements_seen(schedule, *allocator.spot);
  if (parts.loose && parts.loose->top > 1) random_ = std::make_unique<Random>(parts.loose->seed);
  if (parts.keeps_days) {
    timeline_ = std::make_unique<RunTimeline>(schedule.start.size(), hosts_.table().size(),
                                              hosts_.levels(), schedule.window);
  }
  if (parts.have_waits()) add_rows();
  if (parts.plan != nullptr) plan_outages_and_resizes();
  if (parts.plan != nullptr && parts.plan->on_eviction) {
    work_ = std::make_unique<SpotWork>(*parts.plan->on_eviction, schedule);
  }
  if (parts.reserve && allocator.evictor != nullptr) {
    reserve_ = std::make_unique<ReserveKeeper>(hosts_, *parts.reserve, schedule.start.size(),
                                               schedule.window);
  }
  if (parts.schedulers != nullptr) {
    schedulers_ = std::make_unique<SchedulerPool>(hosts_, schedule.make_placements(),
                                                  *parts.schedulers, parts.tenant_of);
  }
}

SimulationEngine::SimulationEngine(const SimulationEngine& other, Allocator allocator)
    : schedule_(other.schedule_),
      parts_(other.parts_),
      hosts_(other.hosts_, std::move(allocator)),
      timeline_(other.timeline_ ? std::make_unique<RunTimeline>(*other.timeline_) : nullptr),
      position_(other.position_),
      lost_(other.lost_),
      vm_too_large_(other.vm_too_large_),
      first_hour_revenue_(other.first_hour_revenue_),
      timer_(other.timer_),
      spot_timer_(other.spot_timer_),
      cut_(other.cut_),
      after_cuts_(other.after_cuts_) {}

RunPause SimulationEngine::run(const PauseAt& pause) {
  const bool may_pause = pause.contention || pause.rejection || pause.time != kNever ||
                         pause.arrival != UINT32_MAX || pause.arrivals_of.has_value();
  if (rows_.empty()) {
    return may_pause ? run_events<true, false>(pause) : run_events<false, false>(pause);
  }
  return may_pause ? run_events<true, true>(pause) : run_events<false, true>(pause);
}

/// Most runs have neither pauses nor waits, and their loop asks about neither.
template <bool kWithPauses, bool kHasWaits>
RunPause SimulationEngine::run_events(const PauseAt& pause) {
  // Whoever looks at a time, or watches, sees departures after the last arrival too.
  const bool sees_all = observer_ != nullptr || kHasWaits || pause.time != kNever;
  const std::size_t all = sees_all ? schedule_->events.size() : schedule_->events_to_last_arrival;
  const std::size_t end = std::min(all, pause.events);
  RunPause reason = RunPause::kFinished;
  for (std::size_t step = position_;; ++step) {
    if (step % kEventsBetweenPolls == 0) stop_.check();
    if constexpr (kHasWaits) {
      if (reserve_ && !is_reserve_kept_ && next_time(position_ < end) > now_) keep_reserve();
      if (!queue_.empty() && queue_comes_first(position_ < end)) {
        const Due due = queue_.top();
        if constexpr (kWithPauses) {
          if (due.time >= pause.time) return RunPause::kTime;
        }
        queue_.pop();
        let_time_pass(due.time);
        now_ = due.time;
        if (forecasts_ != nullptr) refresh_forecasts(now_);
        happen(due);
        is_reserve_kept_ = false;
        continue;
      }
    }
    if (position_ >= end) {
      let_time_pass(kNever);
      return RunPause::kFinished;
    }
    const ScheduledEvent event = schedule_->events[position_];
    if constexpr (kHasWaits) now_ = time_of(event);
    if (forecasts_ != nullptr) refresh_forecasts(time_of(event));
    if constexpr (kWithPauses) {
      if (is_due(event, pause, reason)) return reason;
    }
    let_time_pass(time_of(event));
    if constexpr (kHasWaits) {
      if (event.is_departure()) {
        depart_if_due(event.instance);
      } else {
        ask({.instance = event.instance, .kind = AskKind::kArrival, .since = now_});
      }
      is_reserve_kept_ = false;
    } else if (event.is_departure()) {
      depart(event);
    } else if (is_lowest(event)) {
      arrive_spot(request_of(event));
    } else if (arrive_vm(event, pause, reason)) {
      return reason;
    }
    ++position_;
  }
}

/// True if a due event of the queue comes before the schedule's next event. An instance that lives
/// for no time departs right after its arrival, and so after all due events.
bool SimulationEngine::queue_comes_first(bool has_event) const {
  if (!has_event) return true;
  const ScheduledEvent& event = next_event();
  const InstanceIndex instance = event.instance;
  const bool departs =
      event.is_departure() && schedule_->start[instance] != schedule_->end[instance];
  const Due& due = queue_.top();
  return std::tuple(due.time, due.kind, due.order) <
         std::tuple(time_of(event), departs ? DueKind::kDeparture : DueKind::kArrival, instance);
}

bool SimulationEngine::is_due(ScheduledEvent event, const PauseAt& pause, RunPause& reason) const {
  if (time_of(event) >= pause.time) {
    reason = RunPause::kTime;
    return true;
  }
  const InstanceClass arriving = event.is_spot() ? InstanceClass::kSpot : InstanceClass::kVm;
  if (!event.is_departure() && (event.instance == pause.arrival || pause.arrivals_of == arriving)) {
    reason = RunPause::kArrival;
    return true;
  }
  return false;
}

void SimulationEngine::refresh_forecasts(SimTime now) {
  while (forecasts_->next_refresh() <= now) forecasts_->refresh();
}

void SimulationEngine::add_forecasts(Request& request) const {
  request.forecasts = &forecasts_->forecasts();
  if (!request.is_spot()) return;
  request.asked_lifetime = forecasts_->asked_lifetime(request, end_of(request.instance));
  request.promised_until = forecasts_->promised_until(request);
}

/// Places a VM or rejects it. Returns true, with the reason, when the run has to pause.
bool SimulationEngine::arrive_vm(ScheduledEvent event, const PauseAt& pause, RunPause& reason) {
  const Request request = request_of(event);
  timer_.start();
  HostIndex host = random_ ? kNoHost : hosts_.first_ranked(request);
  const bool contended = host != kNoHost && hosts_.needs_evictions(host, request);
  if (contended && pause.contention) {
    reason = RunPause::kContention;
    return true;
  }
  if (decision_observer_ != nullptr || random_) {
    host = answer_whole_offer(request);
  } else if (contended) {
    host = contend(request, host);
  }
  if (host != kNoHost) {
    place(host, request);
    if (decision_observer_ == nullptr) timer_.stop();
    return false;
  }
  reject(request, LossCause::kRoom);
  if (!pause.rejection) return false;
  ++position_;
  reason = RunPause::kRejection;
  return true;
}

/// Finds the host the spot side would choose from the offer and makes room on it.
HostIndex SimulationEngine::contend(const Request& request, HostIndex first_ranked) {
  const HostIndex host = hosts_.displace(request, first_ranked, timer_);
  evict(host, hosts_.victims(), request);
  return host;
}

/// The handshake by whole values, for an observer or a loose ranking. Returns the host, with its
/// room made.
HostIndex SimulationEngine::answer_whole_offer(const Request& request) {
  HostRanking& ranking = hosts_.ranking_for(request);
  std::optional<SubsetRanking> loose;
  if (random_)
    loose.emplace(ranking, std::span<const HostIndex>(), parts_.loose->top, *random_,
                  Draw::kBeforehand);
  HostRanking& followed = loose ? static_cast<HostRanking&>(*loose) : ranking;
  Choice choice;
  if (decision_observer_ != nullptr) {
    decision_observer_->requested(request);
    decision_observer_->deciding(hosts_, request);
    choice = hosts_.answer(request, followed, OfferWatch(*decision_observer_, request.time));
    decision_observer_->decided(request, choice);
  } else if (allocator().evictor != nullptr) {
    choice = hosts_.answer(request, followed);
  } else {
    followed.start(request);
    choice.host.host = followed.next();
  }
  evict(choice.host.host, choice.victims, request);
  return choice.host.host;
}

void SimulationEngine::arrive_spot(const Request& request) {
  const HostIndex host = find_host_of_spot(request);
  if (host != kNoHost) {
    place(host, request);
    if (decision_observer_ == nullptr) spot_timer_.stop();
  } else {
    reject(request, LossCause::kRoom);
  }
}

HostIndex SimulationEngine::find_host_of_spot(const Request& request) {
  spot_timer_.start();
  if (decision_observer_ != nullptr) {
    decision_observer_->requested(request);
    decision_observer_->deciding(hosts_, request);
  }
  HostIndex host = kNoHost;
  if (random_) {
    SubsetRanking loose(hosts_.ranking_for(request), {}, parts_.loose->top, *random_,
                        Draw::kBeforehand);
    loose.start(request);
    host = loose.next();
  } else {
    host = hosts_.first_ranked(request);
  }
  if (decision_observer_ != nullptr)
    decision_observer_->decided(request, {.host = {.host = host}, .victims = {}});
  return host;
}

void SimulationEngine::evict(HostIndex host, std::span<const InstanceIndex> victims,
                             const Request& for_vm) {
  for (const InstanceIndex victim : victims) {
    const std::size_t level = hosts_.levels().of_displaceable(victim);
    if (reserve_ && level + 1 == hosts_.levels().count) {
      reserve_->evicted(victim, for_vm.time, for_vm.instance == kNoInstance);
    }
    ++lost_[level].evictions;
    stop_spot(victim, host, LossCause::kEviction, for_vm.time);
    tell([&](InstanceObserver& watch) { watch.evicted(victim, host, for_vm); });
    if (!rows_.empty()) begin_waiting(victim);
  }
}

void SimulationEngine::stop_spot(InstanceIndex instance, HostIndex host, LossCause cause,
                                 SimTime now) {
  const RunningSpot spot = hosts_.remove_spot(instance, host);
  const Revenue lost = schedule_->revenue(spot.resources.vcpus, now, spot.ends_at);
  const std::size_t level = hosts_.levels().of_displaceable(instance);
  lost_[level].add(cause, lost);
  if (!after_cuts_.empty()) lose_after_cuts(level, cause, spot.resources.vcpus, spot.ends_at);
  if (cause == LossCause::kEviction && spot.is_promised(now)) ++promises_broken_;
  if (level + 1 == hosts_.levels().count && now - spot.placed_at < kFirstHour) {
    first_hour_revenue_ += schedule_->revenue(spot.resources.vcpus, spot.placed_at, now);
  }
  if (rows_.empty()) return;
  stopped(instance, lost, cause);
  if (work_) work_->stopped(spot, now, cause == LossCause::kEviction);
  if (reserve_) reserve_->left(instance);
  note_change({.kind = HostChange::Kind::kLeft,
               .host = host,
               .instance = instance,
               .resources = spot.resources});
}

void SimulationEngine::place(HostIndex host, const Request& request) {
  const SimTime ends_at = end_of(request.instance);
  if (!rows_.empty()) regain(request);
  hosts_.place(request, host, ends_at);
  if (request.promised_until > request.time) ++promises_;
  tell([&](InstanceObserver& watch) { watch.placed(request, host); });
  if (!rows_.empty()) started(request, host);
}

void SimulationEngine::reject(const Request& request, LossCause cause) {
  if (rows_.empty()) {
    Losses& lost = losses_of(request);
    const SimTime end = schedule_->end[request.instance];
    lost.count(cause);
    lost.add(cause, schedule_->revenue(request.vcpus, request.time, end));
    if (!after_cuts_.empty()) {
      lose_after_cuts(hosts_.levels().of(request), cause, request.vcpus, end);
    }
    if (is_too_large(request)) ++vm_too_large_;
  } else {
    count_as_lost(request, cause);
  }
  tell([&](InstanceObserver& watch) { watch.rejected(request); });
}

void SimulationEngine::depart(ScheduledEvent event) {
  const InstanceIndex instance = event.instance;
  const HostIndex host = hosts_.host_of(instance);
  if (host == kNoHost) return;
  if (level_of(event) == 0) {
    hosts_.remove_vm(instance, schedule_->resources(event), host);
  } else {
    hosts_.remove_spot(instance, host);
  }
  tell([&](InstanceObserver& watch) { watch.departed(instance, host, schedule_->end[instance]); });
}

/// A run ends with the last arrival, but what runs then does not.
std::vector<TimelineDay> SimulationEngine::days() const {
  if (!timeline_) return {};
  RunTimeline timeline = *timeline_;
  for (std::size_t i = position_; i < schedule_->events.size(); ++i) {
    const InstanceIndex instance = schedule_->events[i].instance;
    const HostIndex host = hosts_.host_of(instance);
    if (host != kNoHost) timeline.departed(instance, host, schedule_->end[instance]);
  }
  return timeline.days();
}

std::vector<LevelOutcome> SimulationEngine::level_outcomes() const {
  std::vector<LevelOutcome> outcomes(lost_.size());
  if (hosts_.levels().are_classes()) {
    const RequestTotals& totals =
        after_cuts_.empty() ? *schedule_ : static_cast<const RequestTotals&>(schedule_->cuts[cut_]);
    outcomes[0].requests = totals.vm_requests;
    outcomes[0].revenue_requested = totals.vm_revenue_requested;
    outcomes[1].requests = totals.spot_requests;
    outcomes[1].revenue_requested = totals.spot_revenue_requested;
  } else {
    for (const ScheduledEvent& event : schedule_->events) {
      if (event.is_departure()) continue;
      LevelOutcome& outcome = outcomes[level_of(event)];
      ++outcome.requests;
      outcome.revenue_requested +=
          schedule_->revenue(schedule_->resources(event).vcpus, schedule_->start[event.instance],
                             schedule_->end[event.instance]);
    }
  }
  outcomes[0].revenue_requested += resizes_requested_;
  for (std::size_t level = 0; level < outcomes.size(); ++level) {
    const Losses& lost = lost_[level];
    LevelOutcome& outcome = outcomes[level];
    outcome.not_placed = lost.not_placed;
    outcome.evictions = lost.evictions;
    outcome.commits = lost.commits;
    outcome.conflicts = lost.conflicts;
    outcome.revenue_lost = lost.revenue;
    if (after_cuts_.empty()) continue;
    for (std::size_t cause = 0; cause < kLossCauses; ++cause) {
      outcome.revenue_lost[cause] -= after_cuts_[cut_][level][cause];
    }
  }
  return outcomes;
}

RunResult SimulationEngine::result() const {
  const std::vector<LevelOutcome> levels = level_outcomes();
  const LevelOutcome& vm = levels.front();
  const LevelOutcome& spot = levels.back();
  RunResult result;
  result.hosts = hosts().size();
  result.vm_requests = vm.requests;
  result.vm_rejected = vm.rejected();
  result.vm_too_large = vm_too_large_;
  result.spot_requests = spot.requests;
  result.spot_admitted = spot.placed();
  result.evictions = spot.evictions;
  result.promises = promises_;
  result.promises_broken = promises_broken_;
  result.vm_revenue_requested = vm.revenue_requested;
  result.vm_revenue = vm.revenue();
  result.spot_revenue_requested = spot.revenue_requested;
  result.spot_revenue = spot.revenue();
  result.spot_revenue_first_hour_free = spot.revenue() - first_hour_revenue_;
  result.alloc_p50_ns = timer_.histogram().quantile(0.5);
  result.alloc_p99_ns = timer_.histogram().quantile(0.99);
  result.alloc_max_ns = timer_.histogram().largest();
  result.spot_alloc_p50_ns = spot_timer_.histogram().quantile(0.5);
  result.spot_alloc_p99_ns = spot_timer_.histogram().quantile(0.99);
  result.spot_alloc_max_ns = spot_timer_.histogram().largest();
  result.days = days();
  return result;
}

LifeResult SimulationEngine::life_result() const {
  LifeResult life = life_;
  life.run = result();
  for (const InstanceRow& row : rows_) {
    if (row.stage == Stage::kWaiting) ++life.waiting;
    const bool is_stopped = row.stage == Stage::kWaiting || row.stage == Stage::kGone;
    if (is_stopped && row.was_placed && row.level == 0) ++life.vms_lost;
  }
  if (work_) add_work(life.spot_work);
  return life;
}

void SimulationEngine::add_work(SpotWorkResult& result) const {
  SpotWork work = *work_;
  for (HostIndex host = 0; host < hosts().size(); ++host) {
    for (const RunningSpot& spot : hosts_.spots_on(host)) work.ended(spot, schedule_->window);
  }
  for (InstanceIndex i = 0; i < rows_.size(); ++i) {
    const InstanceRow& row = rows_[i];
    if (row.level + std::size_t{1} != hosts_.levels().count) continue;
    work.add_to(result, i, row.stage == Stage::kGone);
  }
}

NoticeResult SimulationEngine::notice_result() const {
  NoticeResult result = reserve_ ? reserve_->result() : NoticeResult{};
  result.evictions = lost_.back().evictions;
  return result;
}

SchedulerResult SimulationEngine::scheduler_result() const {
  SchedulerResult result = schedulers_ ? schedulers_->result : SchedulerResult{};
  result.evictions = lost_.back().evictions;
  return result;
}

}  // namespace cospot
