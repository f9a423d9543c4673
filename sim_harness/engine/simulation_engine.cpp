#include "sim_harness/engine/simulation_engine.hpp"

namespace cospot {
namespace {

/// A spot evicted sooner may be free for its customer. Source: CoSpot, Finding 8 (Amazon EC2).
constexpr SimTime kFirstHour = std::chrono::hours(1);

/// Without an offer to choose from, a VM side that ignores spots need not hear of them.
bool watches_spots(const HostRanking& vm_ranking, const Allocator& allocator) {
  return vm_ranking.sees_spots() || !allocator.otn.is_one_host();
}

std::optional<VmLoad> load_to_follow(const HostTable& hosts, const Allocator& allocator) {
  return allocator.otn.follows_load() ? std::optional(VmLoad(hosts)) : std::nullopt;
}

}  // namespace

SimulationEngine::SimulationEngine(const EventSchedule& schedule, HostTable hosts,
                                   Allocator allocator)
    : schedule_(&schedule),
      hosts_(std::move(hosts)),
      instances_(schedule.start.size(), hosts_.size()),
      placements_(schedule),
      allocator_(std::move(allocator)),
      vm_ranking_(allocator_.vm->make_ranking(hosts_)),
      spot_ranking_(allocator_.spot->make_ranking(hosts_)),
      vm_ranking_watches_spots_(watches_spots(*vm_ranking_, allocator_)),
      load_(load_to_follow(hosts_, allocator_)),
      handshake_(*allocator_.evictor, allocator_.otn),
      is_stale_(hosts_.size(), 0) {
  hosts_.lend_spots(instances_.spots());
  require_placements_seen(schedule, *allocator_.vm);
}

SimulationEngine::SimulationEngine(const SimulationEngine& other, Allocator allocator)
    : schedule_(other.schedule_),
      hosts_(other.hosts_),
      instances_(other.instances_),
      placements_(other.placements_),
      allocator_(std::move(allocator)),
      vm_ranking_(allocator_.vm->make_ranking(hosts_)),
      spot_ranking_(allocator_.spot == other.allocator_.spot
                        ? other.spot_ranking_->clone(hosts_)
                        : allocator_.spot->make_ranking(hosts_)),
      vm_ranking_watches_spots_(watches_spots(*vm_ranking_, allocator_)),
      load_(load_to_follow(hosts_, allocator_)),
      handshake_(*allocator_.evictor, allocator_.otn),
      stale_(other.stale_),
      is_stale_(other.is_stale_),
      position_(other.position_),
      vm_rejected_(other.vm_rejected_),
      vm_too_large_(other.vm_too_large_),
      spot_rejected_(other.spot_rejected_),
      evictions_(other.evictions_),
      vm_revenue_lost_(other.vm_revenue_lost_),
      spot_revenue_lost_(other.spot_revenue_lost_),
      first_hour_revenue_(other.first_hour_revenue_),
      timer_(other.timer_) {
  hosts_.lend_spots(instances_.spots());
}

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
    } else if (event.is_spot()) {
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

void SimulationEngine::add_forecasts(const ScheduledEvent& arrival, Request& request) const {
  request.forecasts = &forecasts_->forecasts();
  if (!arrival.is_spot()) return;
  request.asked_lifetime = forecasts_->asked_lifetime(request, schedule_->end[arrival.instance]);
}

/// Places a VM or rejects it. Returns true, with the reason, when the run has to pause.
bool SimulationEngine::arrive_vm(const ScheduledEvent& event, const PauseAt& pause,
                                 RunPause& reason) {
  const Request request = request_of(event);
  timer_.start();
  vm_ranking_->start(request);
  HostIndex host = vm_ranking_->next();
  if (host != kNoHost) {
    const bool contended = !shortfall(hosts_, host, request).fits_in(ResourceVector{});
    if (contended && pause.contention) {
      reason = RunPause::kContention;
      return true;
    }
    if (observer_ != nullptr) {
      host = answer_whole_offer(request);
    } else {
      if (contended) host = contend(request, host);
      if (host != kNoHost) {
        place_vm(host, request);
        timer_.stop();
      }
    }
  } else if (observer_ != nullptr) {
    observer_->requested(request);
  }
  if (host != kNoHost) return false;
  reject_vm(request);
  if (!pause.rejection) return false;
  ++position_;
  reason = RunPause::kRejection;
  return true;
}

/// Finds the host the spot side would choose from the offer and makes room on it.
HostIndex SimulationEngine::contend(const Request& request, HostIndex first_ranked) {
  struct WalkTimer : HandshakeObserver {
    AllocationTimer* timer;
    void walks() const { timer->start_walk(); }
  };
  WalkTimer observer;
  observer.timer = &timer_;
  const HostIndex host = handshake_.decide(hosts_, *vm_ranking_, first_ranked, request, vm_load(),
                                           spots_of_host(), observer);
  if (host == kNoHost) return kNoHost;
  victims_.clear();
  for (const std::uint32_t position : handshake_.victims()) {
    victims_.push_back(instances_.spots_on(host)[position].instance);
  }
  evict(host, victims_, request);
  return host;
}

/// The handshake by whole values, for an observer. Returns the host, with its room made.
HostIndex SimulationEngine::answer_whole_offer(const Request& request) {
  struct OfferWatch : HandshakeObserver {
    RunObserver* observer;
    void offered(const Offer& offer) const { observer->offered(offer); }
  };
  observer_->requested(request);
  OfferWatch watch;
  watch.observer = observer_;
  const Choice choice = handshake_.answer(hosts_, *vm_ranking_, request, spots_of_host(), watch);
  if (!is_current(hosts_, choice)) return kNoHost;
  evict(choice.host.host, choice.victims, request);
  place_vm(choice.host.host, request);
  return choice.host.host;
}

void SimulationEngine::evict(HostIndex host, std::span<const InstanceIndex> victims,
                             const Request& for_vm) {
  for (const InstanceIndex victim : victims) {
    const RunningSpot spot = remove_spot(host, victim);
    ++evictions_;
    spot_revenue_lost_ += schedule_->revenue(spot.resources.vcpus, for_vm.time, spot.ends_at);
    if (for_vm.time - spot.placed_at < kFirstHour) {
      first_hour_revenue_ += schedule_->revenue(spot.resources.vcpus, spot.placed_at, for_vm.time);
    }
    tell([&](InstanceObserver& watch) { watch.evicted(victim, host, for_vm); });
  }
  // The VM that follows reports the host as changed.
}

void SimulationEngine::place_vm(HostIndex host, const Request& request) {
  hosts_.add_vm(host, request.resources());
  if (load_) load_->add_vm(request.resources());
  instances_.place_vm(request.instance, host);
  placements_.placed(request.instance, host);
  vm_ranking_->host_changed(host);
  mark_stale(host);
  tell([&](InstanceObserver& watch) { watch.placed(request, host); });
}

void SimulationEngine::reject_vm(const Request& request) {
  ++vm_rejected_;
  if (!hosts_.fits_an_empty_host(request.resources())) ++vm_too_large_;
  vm_revenue_lost_ +=
      schedule_->revenue(request.vcpus, request.time, schedule_->end[request.instance]);
  tell([&](InstanceObserver& watch) { watch.rejected(request); });
}

void SimulationEngine::arrive_spot(const ScheduledEvent& event) {
  const Request request = request_of(event);
  if (observer_ != nullptr) observer_->requested(request);
  const SimTime end = schedule_->end[event.instance];
  refresh_spot_ranking();
  spot_ranking_->start(request);
  const HostIndex host = spot_ranking_->next();
  if (host == kNoHost) {
    ++spot_rejected_;
    spot_revenue_lost_ += schedule_->revenue(request.vcpus, request.time, end);
    tell([&](InstanceObserver& watch) { watch.rejected(request); });
    return;
  }
  hosts_.add_spot(host, request.resources());
  instances_.place_spot({.instance = event.instance,
                         .resources = request.resources(),
                         .placed_at = request.time,
                         .ends_at = end},
                        host);
  placements_.placed(event.instance, host);
  spots_changed(host);
  tell([&](InstanceObserver& watch) { watch.placed(request, host); });
}

void SimulationEngine::depart(const ScheduledEvent& event) {
  const HostIndex host = instances_.host_of(event.instance);
  if (host == kNoHost) return;
  if (event.is_spot()) {
    remove_spot(host, event.instance);
    spots_changed(host);
  } else {
    instances_.remove_vm(event.instance);
    placements_.left(event.instance, host);
    hosts_.remove_vm(host, schedule_->resources(event));
    if (load_) load_->remove_vm(schedule_->resources(event));
    vm_ranking_->host_changed(host);
    mark_stale(host);
  }
  tell([&](InstanceObserver& watch) {
    watch.departed(event.instance, host, schedule_->end[event.instance]);
  });
}

RunningSpot SimulationEngine::remove_spot(HostIndex host, InstanceIndex instance) {
  const RunningSpot spot = instances_.remove_spot(instance);
  hosts_.remove_spot(host, spot.resources);
  placements_.left(instance, host);
  return spot;
}

void SimulationEngine::spots_changed(HostIndex host) {
  if (vm_ranking_watches_spots_) vm_ranking_->host_changed(host);
  mark_stale(host);
}

/// Spots are few and VMs many, so the spot ranking hears of a host's changes at the next spot.
void SimulationEngine::mark_stale(HostIndex host) {
  if (is_stale_[host] != 0) return;
  is_stale_[host] = 1;
  stale_.push_back(host);
}

void SimulationEngine::refresh_spot_ranking() {
  for (const HostIndex host : stale_) {
    spot_ranking_->host_changed(host);
    is_stale_[host] = 0;
  }
  stale_.clear();
}

RunResult SimulationEngine::result() const {
  RunResult result;
  result.hosts = hosts_.size();
  result.vm_requests = schedule_->vm_requests;
  result.vm_rejected = vm_rejected_;
  result.vm_too_large = vm_too_large_;
  result.spot_requests = schedule_->spot_requests;
  result.spot_admitted = schedule_->spot_requests - spot_rejected_;
  result.evictions = evictions_;
  result.vm_revenue_requested = schedule_->vm_revenue_requested;
  result.vm_revenue = schedule_->vm_revenue_requested - vm_revenue_lost_;
  result.spot_revenue_requested = schedule_->spot_revenue_requested;
  result.spot_revenue = schedule_->spot_revenue_requested - spot_revenue_lost_;
  result.spot_revenue_first_hour_free = result.spot_revenue - first_hour_revenue_;
  result.alloc_p50_ns = timer_.histogram().quantile(0.5);
  result.alloc_p99_ns = timer_.histogram().quantile(0.99);
  result.alloc_max_ns = timer_.histogram().largest();
  return result;
}

}  // namespace cospot
