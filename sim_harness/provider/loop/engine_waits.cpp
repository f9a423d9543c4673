// Instances that may ask more than once, or wait for a scheduler.

#include <algorithm>

#include "sim_harness/provider/loop/simulation_engine.hpp"

namespace cospot {
namespace {

SimTime later(SimTime time, SimTime by) { return by == kNever ? kNever : time + by; }

}  // namespace

void SimulationEngine::add_rows() {
  rows_.resize(schedule_->start.size());
  vms_on_.resize(hosts().size());
  for (const ScheduledEvent& event : schedule_->events) {
    if (event.is_departure()) continue;
    InstanceRow& row = rows_[event.instance];
    row.size = schedule_->resources(event);
    row.ends_at = schedule_->end[event.instance];
    row.level = static_cast<std::uint8_t>(level_of(event));
    row.lost = schedule_->revenue(row.size.vcpus, schedule_->start[event.instance], row.ends_at);
  }
}

/// Nothing of a plan happens when the window is over, for it could earn nothing.
void SimulationEngine::push(const Due& due) {
  const bool always = due.kind == DueKind::kDeparture || due.kind == DueKind::kDecision;
  if (always || due.time < schedule_->window) queue_.push(due);
}

void SimulationEngine::happen(const Due& due) {
  switch (due.kind) {
    case DueKind::kDeparture:
      if (is_current(due, Stage::kRunning)) depart_row(due.subject);
      break;
    case DueKind::kHostBack:
      come_back(parts_.plan->outages[due.subject]);
      break;
    case DueKind::kHostDrained:
      drain(parts_.plan->outages[due.subject]);
      break;
    case DueKind::kHostDown:
      go_down(parts_.plan->outages[due.subject]);
      break;
    case DueKind::kNoticeOver:
      end_notices();
      break;
    case DueKind::kEvacuation:
      if (is_current(due, Stage::kWaiting)) {
        ask({.instance = due.subject, .kind = AskKind::kEvacuation, .since = now_});
      }
      break;
    case DueKind::kMigration:
      migrate(due.subject);
      break;
    case DueKind::kResize:
      resize(parts_.plan->resizes[due.subject]);
      break;
    case DueKind::kRetry:
      if (is_current(due, Stage::kWaiting)) retry(due.subject);
      break;
    case DueKind::kDecision:
      end_decision(due.subject);
      break;
    case DueKind::kArrival:
      break;
  }
}

Request SimulationEngine::request_of(InstanceIndex instance) const {
  const InstanceRow& row = rows_[instance];
  const bool is_lowest = row.level + std::size_t{1} == hosts_.levels().count;
  Request request{.vcpus = row.size.vcpus,
                  .memory_mb = row.size.memory_mb,
                  .disk_gb = row.size.disk_gb,
                  .instance_class = is_lowest ? InstanceClass::kSpot : InstanceClass::kVm,
                  .instance = instance,
                  .time = now_,
                  .placement = hosts_.placement_of(instance)};
  if (forecasts_ != nullptr) add_forecasts(request);
  return request;
}

void SimulationEngine::ask(const Ask& asked) {
  rows_[asked.instance].stage = Stage::kAsking;
  if (!schedulers_) return decide_at_once(asked);
  if (decision_observer_ != nullptr) decision_observer_->requested(request_of(asked.instance));
  const std::size_t number = schedulers_->assign(asked.instance);
  (*schedulers_)[number].waiting.push_back(asked);
  begin_next(number);
}

void SimulationEngine::decide_at_once(const Ask& asked) {
  const Request request = request_of(asked.instance);
  const bool had_run = rows_[asked.instance].was_placed;
  const HostIndex host = find_host(request);
  if (host != kNoHost) {
    place(host, request);
    if (decision_observer_ == nullptr) (request.is_spot() ? spot_timer_ : timer_).stop();
  } else {
    reject(request, LossCause::kRoom);
  }
  answered(asked, had_run, host != kNoHost);
}

/// With its room made.
HostIndex SimulationEngine::find_host(const Request& request) {
  if (request.is_spot()) return find_host_of_spot(request);
  timer_.start();
  if (decision_observer_ != nullptr || random_) return answer_whole_offer(request);
  const HostIndex host = hosts_.first_ranked(request);
  const bool contended = host != kNoHost && hosts_.needs_evictions(host, request);
  return contended ? contend(request, host) : host;
}

/// Applies the answer to a request.
void SimulationEngine::answered(const Ask& asked, bool had_run, bool is_placed) {
  InstanceRow& row = rows_[asked.instance];
  if (!is_placed && asked.kind == AskKind::kRetry) {
    row.stage = Stage::kWaiting;
    row.wait = rule_of(row).wait_after(row.wait);
    return wait_or_give_up(asked.instance);
  }
  if (!is_placed) return begin_waiting(asked.instance);
  const bool is_spot = row.level > 0;
  if (asked.kind == AskKind::kEvacuation) ++life_.vms_evacuated;
  if (asked.kind != AskKind::kRetry) return;
  if (had_run) {
    ++(is_spot ? life_.spots_returned : life_.vms_restarted);
    return;
  }
  ++(is_spot ? life_.spots_late : life_.vms_late);
  (is_spot ? life_.spot_wait : life_.vm_wait) += now_ - row.asked_at;
}

/// A placement makes up for what was lost so far, but for the time that has passed.
void SimulationEngine::regain(const Request& request) {
  InstanceRow& row = rows_[request.instance];
  Losses& lost = losses_of(request);
  if (row.is_counted_as_lost) {
    lost.add(row.lost_to, -row.lost);
    if (!row.was_placed) lost.uncount(row.lost_to);
  }
  const Revenue earned = schedule_->revenue(request.vcpus, now_, row.ends_at);
  lost.add(row.was_placed ? row.lost_to : LossCause::kDelay, row.lost - earned);
  row.is_counted_as_lost = false;
  row.lost = 0;
}

/// Counts a request that found no host. An instance that ran before has lost to the cause that
/// stopped it.
void SimulationEngine::count_as_lost(const Request& request, LossCause cause) {
  InstanceRow& row = rows_[request.instance];
  if (row.was_placed) return;
  Losses& lost = losses_of(request);
  if (row.is_counted_as_lost) {
    lost.uncount(row.lost_to);
    lost.add(row.lost_to, -row.lost);
  } else if (is_too_large(request)) {
    ++vm_too_large_;
  }
  lost.count(cause);
  lost.add(cause, row.lost);
  row.lost_to = cause;
  row.is_counted_as_lost = true;
}

void SimulationEngine::started(const Request& request, HostIndex host) {
  const InstanceIndex instance = request.instance;
  InstanceRow& row = rows_[instance];
  row.stage = Stage::kRunning;
  row.was_placed = true;
  ++row.version;
  if (row.level == 0) vms_on_[host].push_back(instance);
  if (work_ && row.level > 0) work_->placed(instance, row.size.memory_mb, now_);
  note_change({.kind = HostChange::Kind::kCame,
               .host = host,
               .instance = instance,
               .resources = row.size,
               .is_vm = row.level == 0,
               .ends_at = row.ends_at,
               .promised_until = request.promised_until});
  if (row.ends_at != schedule_->end[instance]) {
    push({row.ends_at, DueKind::kDeparture, instance, instance, row.version});
  }
}

/// The loss is counted already.
void SimulationEngine::stopped(InstanceIndex instance, Revenue lost, LossCause cause) {
  InstanceRow& row = rows_[instance];
  row.stage = Stage::kWaiting;
  row.lost = lost;
  row.lost_to = cause;
  row.is_counted_as_lost = true;
  ++row.version;
}

void SimulationEngine::depart_row(InstanceIndex instance) {
  InstanceRow& row = rows_[instance];
  const HostIndex host = hosts_.host_of(instance);
  row.stage = Stage::kEnded;
  if (row.level == 0) {
    take_vm(instance, host);
    std::erase(vms_on_[host], instance);
  } else {
    const RunningSpot spot = hosts_.remove_spot(instance, host);
    if (work_) work_->ended(spot, now_);
    if (reserve_) reserve_->left(instance);
    note_change({.kind = HostChange::Kind::kLeft,
                 .host = host,
                 .instance = instance,
                 .resources = row.size});
  }
  tell([&](InstanceObserver& watch) { watch.departed(instance, host, now_); });
}

/// At an end by the schedule. The queue has the ends that are others.
void SimulationEngine::depart_if_due(InstanceIndex instance) {
  const bool ends_now = rows_[instance].ends_at == schedule_->end[instance];
  if (ends_now && hosts_.host_of(instance) != kNoHost) depart_row(instance);
}

void SimulationEngine::begin_waiting(InstanceIndex instance) {
  InstanceRow& row = rows_[instance];
  row.stage = Stage::kWaiting;
  SimTime save{0};
  row.left = row.ends_at == kNever ? kNever : row.ends_at - now_;
  if (work_ && row.level > 0 && row.was_placed) {
    row.left = work_->need(instance).stay;
    save = work_->need(instance).save;
  }
  row.asked_at = now_;
  if (parts_.plan != nullptr) {
    const Backoff& rule = rule_of(row);
    row.wait = std::min(rule.first_wait, rule.longest_wait);
  }
  wait_or_give_up(instance, save);
}

/// `at_least`: of the wait before its next try.
void SimulationEngine::wait_or_give_up(InstanceIndex instance, SimTime at_least) {
  InstanceRow& row = rows_[instance];
  if (!may_ask_again(row)) {
    row.stage = Stage::kGone;
    return;
  }
  const SimTime next = now_ + std::max(row.wait, at_least);
  const bool is_over = parts_.plan->ends_stay && next >= schedule_->end[instance];
  if (next > row.asked_at + rule_of(row).patience || is_over) {
    row.stage = Stage::kGone;
    return tell(LifeEventKind::kGiveUp, instance, kNoHost);
  }
  push({next, DueKind::kRetry, instance, instance, ++row.version});
}

void SimulationEngine::retry(InstanceIndex instance) {
  InstanceRow& row = rows_[instance];
  if (!row.was_placed) ++(row.level > 0 ? life_.spot_retries : life_.vm_retries);
  row.ends_at = parts_.plan->ends_stay ? schedule_->end[instance] : later(now_, row.left);
  ask({.instance = instance, .kind = AskKind::kRetry, .since = now_});
}

}  // namespace cospot
