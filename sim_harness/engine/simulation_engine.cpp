#include "sim_harness/engine/simulation_engine.hpp"

#include <utility>

#include "sim_harness/engine/placement_checks.hpp"

namespace cospot {
namespace {

/// A spot evicted sooner may be free for its customer. Source: CoSpot, Finding 8 (Amazon EC2).
constexpr SimTime kFirstHour = std::chrono::hours(1);

}  // namespace

SimulationEngine::SimulationEngine(const EventSchedule& schedule, HostTable hosts,
                                   const Allocator& allocator,
                                   std::span<const std::uint8_t> level_of)
    : schedule_(&schedule),
      hosts_(std::move(hosts), allocator, schedule.start.size(), schedule.make_placements(),
             {.count = allocator.between.size() + 2, .level_of = level_of}),
      lost_(allocator.between.size() + 2) {
  require_placements_seen(schedule, *allocator.vm);
  for (const auto& chain : allocator.between) require_placements_seen(schedule, *chain);
  require_placements_seen(schedule, *allocator.spot);
}

SimulationEngine::SimulationEngine(const SimulationEngine& other, Allocator allocator)
    : schedule_(other.schedule_),
      hosts_(other.hosts_, std::move(allocator)),
      position_(other.position_),
      lost_(other.lost_),
      vm_too_large_(other.vm_too_large_),
      first_hour_revenue_(other.first_hour_revenue_),
      timer_(other.timer_) {}

RunPause SimulationEngine::run(const PauseAt& pause) {
  const bool may_pause =
      pause.contention || pause.rejection || pause.time != kNever || pause.arrival != UINT32_MAX;
  return may_pause ? run_events<true>(pause) : run_events<false>(pause);
}

template <bool kWithPauses>
RunPause SimulationEngine::run_events(const PauseAt& pause) {
  const std::size_t end =
      observer_ != nullptr ? schedule_->events.size() : schedule_->events_to_last_arrival;
  RunPause reason = RunPause::kFinished;
  while (position_ < end) {
    if (position_ % kEventsBetweenPolls == 0) stop_.check();
    const ScheduledEvent event = schedule_->events[position_];
    if (forecasts_ != nullptr) refresh_forecasts(event);
    if constexpr (kWithPauses) {
      if (is_due(event, pause, reason)) return reason;
    }
    if (event.is_departure()) {
      depart(event);
    } else if (is_lowest(event)) {
      arrive_spot(event);
    } else if (arrive_vm(event, pause, reason)) {
      return reason;
    }
    ++position_;
  }
  return RunPause::kFinished;
}

bool SimulationEngine::is_due(const ScheduledEvent& event, const PauseAt& pause,
                              RunPause& reason) const {
  if (time_of(event) >= pause.time) {
    reason = RunPause::kTime;
    return true;
  }
  if (!event.is_departure() && event.instance == pause.arrival) {
    reason = RunPause::kArrival;
    return true;
  }
  return false;
}

void SimulationEngine::refresh_forecasts(const ScheduledEvent& event) {
  const SimTime now = time_of(event);
  while (forecasts_->next_refresh() <= now) forecasts_->refresh();
}

void SimulationEngine::add_forecasts(Request& request) const {
  request.forecasts = &forecasts_->forecasts();
  if (!request.is_spot()) return;
  request.asked_lifetime = forecasts_->asked_lifetime(request, schedule_->end[request.instance]);
}

/// Places a VM or rejects it. Returns true, with the reason, when the run has to pause.
bool SimulationEngine::arrive_vm(const ScheduledEvent& event, const PauseAt& pause,
                                 RunPause& reason) {
  const Request request = request_of(event);
  timer_.start();
  HostIndex host = hosts_.first_ranked(request);
  const bool contended = host != kNoHost && hosts_.needs_evictions(host, request);
  if (contended && pause.contention) {
    reason = RunPause::kContention;
    return true;
  }
  if (observer_ != nullptr) {
    host = answer_whole_offer(request);
  } else if (contended) {
    host = contend(request, host);
  }
  if (host != kNoHost) {
    place(host, request);
    if (observer_ == nullptr) timer_.stop();
    return false;
  }
  reject(event, request);
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

/// The handshake by whole values, for an observer. Returns the host, with its room made.
HostIndex SimulationEngine::answer_whole_offer(const Request& request) {
  observer_->requested(request);
  const Choice choice = hosts_.answer(request, hosts_.ranking_for(request), OfferWatch(*observer_));
  evict(choice.host.host, choice.victims, request);
  return choice.host.host;
}

void SimulationEngine::arrive_spot(const ScheduledEvent& event) {
  const Request request = request_of(event);
  if (observer_ != nullptr) observer_->requested(request);
  const HostIndex host = hosts_.first_ranked(request);
  if (host != kNoHost) {
    place(host, request);
  } else {
    reject(event, request);
  }
}

void SimulationEngine::evict(HostIndex host, std::span<const InstanceIndex> victims,
                             const Request& for_vm) {
  for (const InstanceIndex victim : victims) {
    const RunningSpot spot = hosts_.remove_spot(victim, host);
    Losses& lost = lost_[hosts_.levels().of_displaceable(victim)];
    ++lost.evictions;
    lost.revenue += schedule_->revenue(spot.resources.vcpus, for_vm.time, spot.ends_at);
    if (for_vm.time - spot.placed_at < kFirstHour) {
      first_hour_revenue_ += schedule_->revenue(spot.resources.vcpus, spot.placed_at, for_vm.time);
    }
    tell([&](InstanceObserver& watch) { watch.evicted(victim, host, for_vm); });
  }
}

void SimulationEngine::place(HostIndex host, const Request& request) {
  hosts_.place(request, host, schedule_->end[request.instance]);
  tell([&](InstanceObserver& watch) { watch.placed(request, host); });
}

void SimulationEngine::reject(const ScheduledEvent& event, const Request& request) {
  const std::size_t level = level_of(event);
  ++lost_[level].rejected;
  if (level == 0 && !hosts().fits_an_empty_host(request.resources())) ++vm_too_large_;
  lost_[level].revenue +=
      schedule_->revenue(request.vcpus, request.time, schedule_->end[request.instance]);
  tell([&](InstanceObserver& watch) { watch.rejected(request); });
}

void SimulationEngine::depart(const ScheduledEvent& event) {
  const HostIndex host = hosts_.host_of(event.instance);
  if (host == kNoHost) return;
  if (level_of(event) == 0) {
    hosts_.remove_vm(event.instance, schedule_->resources(event), host);
  } else {
    hosts_.remove_spot(event.instance, host);
  }
  tell([&](InstanceObserver& watch) {
    watch.departed(event.instance, host, schedule_->end[event.instance]);
  });
}

std::vector<LevelResult> SimulationEngine::level_results() const {
  std::vector<LevelResult> results(lost_.size());
  if (hosts_.levels().are_classes()) {
    results[0] = {.requests = schedule_->vm_requests,
                  .revenue_requested = schedule_->vm_revenue_requested};
    results[1] = {.requests = schedule_->spot_requests,
                  .revenue_requested = schedule_->spot_revenue_requested};
  } else {
    for (const ScheduledEvent& event : schedule_->events) {
      if (event.is_departure()) continue;
      LevelResult& result = results[level_of(event)];
      ++result.requests;
      result.revenue_requested +=
          schedule_->revenue(schedule_->resources(event).vcpus, schedule_->start[event.instance],
                             schedule_->end[event.instance]);
    }
  }
  for (std::size_t level = 0; level < results.size(); ++level) {
    results[level].rejected = lost_[level].rejected;
    results[level].evictions = lost_[level].evictions;
    results[level].revenue = results[level].revenue_requested - lost_[level].revenue;
  }
  return results;
}

RunResult SimulationEngine::result() const {
  const std::vector<LevelResult> levels = level_results();
  const LevelResult& vm = levels.front();
  const LevelResult& spot = levels.back();
  RunResult result;
  result.hosts = hosts().size();
  result.vm_requests = vm.requests;
  result.vm_rejected = vm.rejected;
  result.vm_too_large = vm_too_large_;
  result.spot_requests = spot.requests;
  result.spot_admitted = spot.requests - spot.rejected;
  for (const LevelResult& level : levels) result.evictions += level.evictions;
  result.vm_revenue_requested = vm.revenue_requested;
  result.vm_revenue = vm.revenue;
  result.spot_revenue_requested = spot.revenue_requested;
  result.spot_revenue = spot.revenue;
  result.spot_revenue_first_hour_free = spot.revenue - first_hour_revenue_;
  result.alloc_p50_ns = timer_.histogram().quantile(0.5);
  result.alloc_p99_ns = timer_.histogram().quantile(0.99);
  result.alloc_max_ns = timer_.histogram().largest();
  return result;
}

}  // namespace cospot
