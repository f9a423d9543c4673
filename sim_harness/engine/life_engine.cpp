#include "sim_harness/engine/life_engine.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace cospot {
namespace {

constexpr std::size_t kEventsBetweenPolls = 16;
/// A spot that is stopped sooner may be free for its customer (SimulationEngine).
constexpr SimTime kFirstHour = std::chrono::hours(1);

SimTime later(SimTime time, SimTime by) { return by == kNever ? kNever : time + by; }

/// What of `to` is more than `from` fits in `free`; less of a resource always does.
bool grows_within(const ResourceVector& from, const ResourceVector& to,
                  const ResourceVector& free) {
  const auto fits = [](ResourceAmount growth, ResourceAmount room) {
    return growth <= 0 || growth <= room;
  };
  return fits(to.vcpus - from.vcpus, free.vcpus) &&
         fits(to.memory_mb - from.memory_mb, free.memory_mb) &&
         fits(to.disk_gb - from.disk_gb, free.disk_gb);
}

}  // namespace

LifeEngine::LifeEngine(const EventSchedule& schedule, HostTable hosts, Allocator allocator,
                       const LifePlan& plan)
    : schedule_(&schedule),
      plan_(&plan),
      hosts_(std::move(hosts), std::move(allocator), schedule.start.size(),
             schedule.make_placements()),
      vms_on_(hosts_.table().size()),
      instances_(schedule.start.size()) {
  RunResult& run = result_.run;
  run.hosts = hosts_.table().size();
  run.vm_requests = schedule.vm_requests;
  run.spot_requests = schedule.spot_requests;
  run.vm_revenue_requested = schedule.vm_revenue_requested;
  run.spot_revenue_requested = schedule.spot_revenue_requested;
  for (const ScheduledEvent& event : schedule.events) {
    if (event.is_departure()) continue;
    instances_[event.instance].size = schedule.resources(event);
    instances_[event.instance].is_spot = event.is_spot();
  }
  add_requested_by_resizes();
  plan_outages_and_resizes();
}

/// What VMs ask for is what they would hold if every resize were granted.
void LifeEngine::add_requested_by_resizes() {
  std::map<InstanceIndex, ResourceAmount> vcpus_of;
  for (const Resize& resize : plan_->resizes) {
    const auto [before, is_first] =
        vcpus_of.try_emplace(resize.instance, instances_[resize.instance].size.vcpus);
    result_.run.vm_revenue_requested += schedule_->revenue(
        resize.size.vcpus - before->second, resize.time, schedule_->end[resize.instance]);
    before->second = resize.size.vcpus;
  }
}

/// Nothing of a plan happens when the window is over, for it could earn nothing.
void LifeEngine::plan(const Due& due) {
  if (due.kind == DueKind::kDeparture || due.time < schedule_->window) queue_.push(due);
}

void LifeEngine::plan_outages_and_resizes() {
  for (std::uint32_t i = 0; i < plan_->outages.size(); ++i) {
    const Outage& outage = plan_->outages[i];
    plan({outage.notice, DueKind::kHostDrained, i, i});
    plan({outage.start, DueKind::kHostDown, i, i});
    plan({outage.end, DueKind::kHostBack, i, i});
  }
  for (std::uint32_t i = 0; i < plan_->resizes.size(); ++i) {
    plan({plan_->resizes[i].time, DueKind::kResize, i, i});
  }
}

void LifeEngine::run() {
  std::size_t position = 0;
  for (std::size_t i = 0;; ++i) {
    if (i % kEventsBetweenPolls == 0) stop_.check();
    while (position < schedule_->events.size() && schedule_->events[position].is_departure()) {
      ++position;  // the queue has those that come to it
    }
    const bool has_arrival = position < schedule_->events.size();
    const SimTime arrival =
        has_arrival ? schedule_->start[schedule_->events[position].instance] : kNever;
    if (!queue_.empty() && queue_.top().time <= arrival) {
      const Due due = queue_.top();
      queue_.pop();
      now_ = due.time;
      happen(due);
    } else if (has_arrival) {
      now_ = arrival;
      arrive(schedule_->events[position++]);
    } else {
      break;
    }
  }
  settle();
}

void LifeEngine::happen(const Due& due) {
  switch (due.kind) {
    case DueKind::kDeparture:
      if (is_current(due, Stage::kRunning)) depart(due.subject);
      break;
    case DueKind::kHostBack:
      come_back(plan_->outages[due.subject]);
      break;
    case DueKind::kHostDrained:
      drain(plan_->outages[due.subject]);
      break;
    case DueKind::kHostDown:
      go_down(plan_->outages[due.subject]);
      break;
    case DueKind::kEvacuation:
      if (is_current(due, Stage::kWaiting)) evacuate(due.subject);
      break;
    case DueKind::kMigration:
      migrate(due.subject);
      break;
    case DueKind::kResize:
      resize(plan_->resizes[due.subject]);
      break;
    case DueKind::kRetry:
      if (is_current(due, Stage::kWaiting)) retry(due.subject);
      break;
  }
}

Request LifeEngine::request_of(InstanceIndex instance) const {
  const Instance& row = instances_[instance];
  return {.vcpus = row.size.vcpus,
          .memory_mb = row.size.memory_mb,
          .disk_gb = row.size.disk_gb,
          .instance_class = row.is_spot ? InstanceClass::kSpot : InstanceClass::kVm,
          .instance = instance,
          .time = now_,
          .placement = hosts_.placement_of(instance)};
}

void LifeEngine::arrive(const ScheduledEvent& event) {
  Instance& instance = instances_[event.instance];
  const SimTime end = schedule_->end[event.instance];
  instance.left = end == kNever ? kNever : end - now_;
  if (!try_to_place(event.instance)) begin_waiting(event.instance, instance.left);
}

/// Asks for a host. An instance that lives for no time departs at once.
bool LifeEngine::try_to_place(InstanceIndex instance) {
  const Request request = request_of(instance);
  HostIndex host = kNoHost;
  if (request.is_spot()) {
    if (observer_ != nullptr) observer_->requested(request);
    host = hosts_.first_ranked(request);
  } else {
    host = room_for_vm(request);
  }
  if (host == kNoHost) {
    if (observer_ != nullptr) observer_->rejected(request);
    return false;
  }
  start(instance, host, request);
  return true;
}

/// The host for a VM, with the room made on it.
HostIndex LifeEngine::room_for_vm(const Request& request) {
  timer_.start();
  if (observer_ != nullptr) {
    observer_->requested(request);
    const Choice choice =
        hosts_.answer(request, hosts_.ranking_for(request), OfferWatch(*observer_));
    evict(choice.host.host, choice.victims, request);
    return choice.host.host;
  }
  HostIndex host = hosts_.first_ranked(request);
  if (host != kNoHost && hosts_.needs_evictions(host, request)) {
    host = hosts_.displace(request, host, timer_);
    evict(host, hosts_.victims(), request);
  }
  return host;
}

void LifeEngine::evict(HostIndex host, std::span<const InstanceIndex> victims,
                       const Request& for_vm) {
  for (const InstanceIndex victim : victims) {
    ++result_.run.evictions;
    if (observer_ != nullptr) observer_->evicted(victim, host, for_vm);
    stop_spot(victim);
  }
}

void LifeEngine::start(InstanceIndex instance, HostIndex host, const Request& request) {
  Instance& row = instances_[instance];
  row.stage = Stage::kRunning;
  row.was_placed = true;
  row.since = now_;
  row.ends_at = plan_->ends_stay ? schedule_->end[instance] : later(now_, row.left);
  ++row.version;
  hosts_.place(request, host, row.ends_at);
  if (!row.is_spot) {
    vms_on_[host].push_back(instance);
    timer_.stop();
  }
  if (observer_ != nullptr) observer_->placed(request, host);
  if (row.ends_at == now_) return depart(instance);
  if (row.ends_at != kNever) {
    plan({row.ends_at, DueKind::kDeparture, instance, instance, row.version});
  }
}

void LifeEngine::depart(InstanceIndex instance) {
  Instance& row = instances_[instance];
  pay(row, now_);
  row.stage = Stage::kEnded;
  const HostIndex host = hosts_.host_of(instance);
  if (row.is_spot) {
    hosts_.remove_spot(instance, host);
  } else {
    hosts_.remove_vm(instance, row.size, host);
    forget_vm(instance, host);
  }
  if (observer_ != nullptr) observer_->departed(instance, host, now_);
}

/// A spot loses its host before its end; perhaps it returns.
void LifeEngine::stop_spot(InstanceIndex instance) {
  Instance& row = instances_[instance];
  const RunningSpot spot = hosts_.remove_spot(instance, hosts_.host_of(instance));
  if (now_ - spot.placed_at < kFirstHour) {
    first_hour_revenue_ += schedule_->revenue(row.size.vcpus, spot.placed_at, now_);
  }
  pay(row, now_);
  begin_waiting(instance, row.ends_at == kNever ? kNever : row.ends_at - now_);
}

void LifeEngine::begin_waiting(InstanceIndex instance, SimTime left) {
  Instance& row = instances_[instance];
  const Backoff& rule = rule_of(row);
  row.stage = Stage::kWaiting;
  row.left = left;
  row.asked_at = now_;
  row.wait = std::min(rule.first_wait, rule.longest_wait);
  wait_or_give_up(instance);
}

void LifeEngine::wait_or_give_up(InstanceIndex instance) {
  Instance& row = instances_[instance];
  const Backoff& rule = rule_of(row);
  const SimTime next = now_ + row.wait;
  const bool is_over = plan_->ends_stay && next >= schedule_->end[instance];
  if (!may_ask_again(row) || next > row.asked_at + rule.patience || is_over) {
    return give_up(instance);
  }
  plan({next, DueKind::kRetry, instance, instance, ++row.version});
}

void LifeEngine::give_up(InstanceIndex instance) {
  Instance& row = instances_[instance];
  row.stage = Stage::kGone;
  // Who may not ask again has nothing to give up.
  if (may_ask_again(row)) tell(LifeEventKind::kGiveUp, instance, kNoHost);
}

void LifeEngine::retry(InstanceIndex instance) {
  Instance& row = instances_[instance];
  const bool had_run = row.was_placed;
  if (!had_run) ++(row.is_spot ? result_.spot_retries : result_.vm_retries);
  if (!try_to_place(instance)) {
    row.wait = rule_of(row).wait_after(row.wait);
    return wait_or_give_up(instance);
  }
  if (had_run) {
    ++(row.is_spot ? result_.spots_returned : result_.vms_restarted);
    return;
  }
  ++(row.is_spot ? result_.spots_late : result_.vms_late);
  (row.is_spot ? result_.spot_wait : result_.vm_wait) += now_ - row.asked_at;
}

void LifeEngine::resize(const Resize& resize) {
  Instance& row = instances_[resize.instance];
  if (row.stage != Stage::kRunning) {
    ++result_.resizes_missed;
    return;
  }
  const HostIndex host = hosts_.host_of(resize.instance);
  const ResourceVector free = hosts_.table().free(host, Sees::kVmsAndSpots);
  if (!grows_within(row.size, resize.size, free)) return resize_elsewhere(resize);
  pay(row, now_);
  hosts_.resize_vm(row.size, resize.size, host);
  row.size = resize.size;
  ++result_.resizes_in_place;
  tell(LifeEventKind::kResize, resize.instance, host, resize.size);
}

/// The VM asks with its new size, its old room given up; a refused one gets that back.
void LifeEngine::resize_elsewhere(const Resize& resize) {
  Instance& row = instances_[resize.instance];
  const ResourceVector old = row.size;
  pay(row, now_);
  const HostIndex from = hosts_.host_of(resize.instance);
  hosts_.remove_vm(resize.instance, old, from);
  row.size = resize.size;
  const HostIndex to = room_for_vm(request_of(resize.instance));
  if (to == kNoHost) {
    row.size = old;
    hosts_.place_vm(resize.instance, old, from);
    ++result_.resizes_refused;
    return tell(LifeEventKind::kResizeRefused, resize.instance, from, resize.size);
  }
  hosts_.place_vm(resize.instance, resize.size, to);
  move_vm(resize.instance, from, to);
  ++(to == from ? result_.resizes_in_place : result_.resizes_moved);
  tell(LifeEventKind::kResize, resize.instance, to, resize.size);
}

void LifeEngine::forget_vm(InstanceIndex instance, HostIndex host) {
  vms_on_[host].erase(std::ranges::find(vms_on_[host], instance));
}

void LifeEngine::move_vm(InstanceIndex instance, HostIndex from, HostIndex to) {
  forget_vm(instance, from);
  vms_on_[to].push_back(instance);
}

void LifeEngine::pay(Instance& instance, SimTime until) {
  (instance.is_spot ? result_.run.spot_revenue : result_.run.vm_revenue) +=
      schedule_->revenue(instance.size.vcpus, instance.since, until);
  instance.since = until;
}

/// What is known when all is over.
void LifeEngine::settle() {
  RunResult& run = result_.run;
  run.spot_admitted = run.spot_requests;
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    Instance& row = instances_[i];
    if (row.stage == Stage::kAhead || row.stage == Stage::kEnded) continue;
    if (row.stage == Stage::kRunning) {
      pay(row, kNever);
      continue;
    }
    if (row.stage == Stage::kWaiting) ++result_.waiting;
    if (row.was_placed) {
      if (!row.is_spot) ++result_.vms_lost;
    } else if (row.is_spot) {
      --run.spot_admitted;
    } else {
      ++run.vm_rejected;
      if (!hosts_.table().fits_an_empty_host(row.size)) ++run.vm_too_large;
    }
  }
  run.spot_revenue_first_hour_free = run.spot_revenue - first_hour_revenue_;
  run.alloc_p50_ns = timer_.histogram().quantile(0.5);
  run.alloc_p99_ns = timer_.histogram().quantile(0.99);
  run.alloc_max_ns = timer_.histogram().largest();
}

}  // namespace cospot
