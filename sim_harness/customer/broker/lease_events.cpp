// The events of the broker's instances: phases, hours, snapshots, revocations, and their costs.
#include <algorithm>
#include <cmath>

#include "sim_harness/customer/broker/broker_run.hpp"

namespace cospot {
namespace {

Seconds whole(double seconds) { return static_cast<Seconds>(std::ceil(seconds)); }

}  // namespace

void BrokerRun::log(Seconds now, std::string_view what, std::int32_t lease, std::int64_t job,
                    MicroUsd amount) const {
  if (observer_ == nullptr) return;
  BrokerObserver::Event event{.time = now, .what = what, .lease = lease, .job = job};
  event.amount = amount;
  if (lease >= 0) {
    event.market = leases_[static_cast<std::size_t>(lease)].market;
    event.bid = leases_[static_cast<std::size_t>(lease)].bid;
  }
  observer_->happened(event);
}

Seconds BrokerRun::save_seconds(const Lease& lease) const {
  const Task& task = tasks_[static_cast<std::size_t>(lease.task)];
  return whole(save_time(snapshot_mb(task, type_of(lease))));
}

/// The job's memory where the log states it, else all that the instance has.
double BrokerRun::snapshot_mb(const Task& task, const InstanceType& type) const {
  const double memory_mb = job_of(task).memory_mb;
  return memory_mb > 0 ? memory_mb : type.memory_mb;
}

Seconds BrokerRun::run_seconds(const Task& task, std::uint32_t type) const {
  return time_on(markets_.types[type], job_of(task).work, job_of(task));
}

// The life of an instance.

std::int32_t BrokerRun::start_lease(std::uint32_t market, bool on_demand, MicroUsd bid,
                                    std::int32_t task, Seconds now) {
  const auto id = static_cast<std::int32_t>(leases_.size());
  Lease& lease = leases_.emplace_back();
  lease.market = market;
  lease.on_demand = on_demand;
  lease.bid = bid;
  lease.task = task;
  ++leases_in_[market];
  Task& first = task_at(task);
  first.state = Task::State::kAssigned;
  first.lease = id;
  ++first.version;
  log(now, "start", id, first.job);
  begin_instance(id, now);
  return id;
}

void BrokerRun::begin_instance(std::int32_t id, Seconds now) {
  Lease& lease = lease_at(id);
  lease.begin = now;
  lease.out_of_bid =
      lease.on_demand ? kNoTime : market_of(lease).prices.first_at_or_above(lease.bid, now);
  lease.phase = Phase::kBoot;
  lease.phase_begin = now;
  lease.phase_end = now + settings_.boot;
  lease.save_at = kNoTime;
  open_hour(id, now);
  lease.expected_free = now + whole(needs(lease.task, lease.market)) + lease.queued;
  index(id, now);
  changed(id, now);
  schedule(id);
}

/// The seconds that an instance of a market needs for what is left of a task, from its start on.
double BrokerRun::needs(std::int32_t id, std::uint32_t where) const {
  const Task& task = tasks_[static_cast<std::size_t>(id)];
  const Market& market = markets_.markets[where];
  const auto takes = static_cast<double>(expected(id, market.type));
  const auto boot = static_cast<double>(settings_.boot);
  if (task.saved == 0) return takes + boot;
  const auto ran_on = static_cast<double>(run_seconds(task, task.type));
  const double memory_mb = snapshot_mb(task, markets_.types[market.type]);
  return takes * (1 - static_cast<double>(task.saved) / ran_on) + boot +
         restore_time(memory_mb, market.datacenter == task.datacenter);
}

void BrokerRun::assign(std::int32_t id, std::int32_t task, Seconds now) {
  Lease& lease = lease_at(id);
  Task& one = task_at(task);
  one.state = Task::State::kAssigned;
  one.lease = id;
  const Seconds takes = expected(task, market_of(lease).type);
  unindex(id);
  if (lease.phase == Phase::kIdle) {
    close_slice(lease, now);
    lease.task = task;
    lease.expected_free = now + takes;
    start_task(id, now);
  } else {
    lease.queue.push_back(task);
    lease.queued += takes;
    lease.expected_free += takes;
    ++one.version;
    events_.push({latest_start(task), Event::Kind::kQueued, task, one.version});
  }
  index(id, now);
  changed(id, now);
  schedule(id);
}

void BrokerRun::schedule(std::int32_t id) {
  Lease& lease = lease_at(id);
  Seconds next = std::min({lease.phase_end, lease.save_at, lease.hour_end});
  if (lease.out_of_bid != kNoTime) next = std::min(next, lease.out_of_bid + settings_.notice);
  if (next >= lease.next_event) return;  // nothing is due at that one; it plans the next
  lease.next_event = next;
  ++lease.version;
  events_.push({next, Event::Kind::kLease, id, lease.version});
}

/// Everything that is due now, in this order: what ends, the revocation, a snapshot, the hour.
void BrokerRun::advance(std::int32_t id, Seconds now) {
  if (lease_at(id).phase_end == now) end_phase(id, now);
  if (!lease_at(id).is_alive()) return;
  if (const Seconds out = lease_at(id).out_of_bid;
      out != kNoTime && out + settings_.notice == now) {
    revoke(id, now);
    return;
  }
  if (lease_at(id).save_at == now) begin_save(id, now);
  if (lease_at(id).hour_end == now) end_hour(id, now);
  if (lease_at(id).is_alive()) schedule(id);
}

void BrokerRun::end_phase(std::int32_t id, Seconds now) {
  Lease& lease = lease_at(id);
  const Phase ended = lease.phase;
  close_slice(lease, now);
  if (ended == Phase::kRun) {
    complete(id, now);
  } else if (ended == Phase::kBoot && lease.task != kNoTask && task_at(lease.task).saved > 0) {
    const bool same = task_at(lease.task).datacenter == market_of(lease).datacenter;
    lease.phase = Phase::kRestore;
    lease.phase_end =
        now + whole(restore_time(snapshot_mb(task_at(lease.task), type_of(lease)), same));
  } else if (ended == Phase::kSave) {
    ++result_.checkpoints;
    mark_saved(lease);
    log(now, "save", id, task_at(lease.task).job);
    start_task(id, now);
  } else if (ended == Phase::kIdle) {
    end_lease(id, now, false);
  } else {
    if (ended == Phase::kRestore) {
      ++result_.restores;
      log(now, "restore", id, lease.task == kNoTask ? -1 : task_at(lease.task).job);
    }
    if (lease.task == kNoTask) {
      next_task(id, now);
    } else {
      start_task(id, now);
    }
  }
}

void BrokerRun::start_task(std::int32_t id, Seconds now) {
  Lease& lease = lease_at(id);
  Task& task = task_at(lease.task);
  const std::uint32_t type = market_of(lease).type;
  const Seconds takes = run_seconds(task, type);
  if (task.done > 0 && task.type != type) {
    // The same share of the work is done, in the time of this type, rounded down.
    const Seconds before = run_seconds(task, task.type);
    task.done = std::min(takes - 1, task.done * takes / before);
    task.saved = std::min(task.done, task.saved * takes / before);
  }
  task.type = type;
  lease.phase = Phase::kRun;
  lease.phase_end = now + takes - task.done;
  plan_snapshot(lease, now);
}

void BrokerRun::next_task(std::int32_t id, Seconds now) {
  Lease& lease = lease_at(id);
  unindex(id);
  lease.save_at = kNoTime;
  lease.task = kNoTask;
  while (!lease.queue.empty() && lease.task == kNoTask) {
    const std::int32_t next = lease.queue.front();
    lease.queue.erase(lease.queue.begin());
    lease.queued -= expected(next, market_of(lease).type);
    if (is_assigned(next, id)) lease.task = next;
  }
  if (lease.task != kNoTask) {
    lease.expected_free = now + expected(lease.task, market_of(lease).type) + lease.queued;
    start_task(id, now);
  } else {
    lease.phase = Phase::kIdle;
    // By the second, an instance that nobody took at the next decision is not worth keeping.
    lease.phase_end = settings_.billing == Billing::kPerSecond ? now + settings_.interval : kNoTime;
    lease.expected_free = now;
  }
  index(id, now);
  changed(id, now);
}

// Snapshots.

void BrokerRun::plan_snapshot(Lease& lease, Seconds now) const {
  lease.save_at = kNoTime;
  if (lease.on_demand || lease.phase != Phase::kRun) return;
  const FaultTolerance& mechanism = *settings_.fault_tolerance;
  if (mechanism.snapshots() == FaultTolerance::Snapshots::kNone) return;
  const Seconds takes = save_seconds(lease);
  const bool hourly = mechanism.snapshots() == FaultTolerance::Snapshots::kHourly;
  const SnapshotContext context{&market_of(lease).prices, lease.bid, now, takes};
  const Seconds at = hourly ? lease.hour_end - takes : now + mechanism.interval(context);
  // Not for a job that is done before, or by the end of the hour that is saved; nor in the second
  // in which the last one ended.
  if (at > now && lease.phase_end > (hourly ? lease.hour_end : at)) lease.save_at = at;
}

void BrokerRun::begin_save(std::int32_t id, Seconds now) {
  Lease& lease = lease_at(id);
  const Seconds takes = save_seconds(lease);
  close_slice(lease, now);
  lease.phase = Phase::kSave;
  lease.phase_end = now + takes;
  lease.save_at = kNoTime;
  unindex(id);
  lease.expected_free += takes;  // the job stands still
  index(id, now);
}

void BrokerRun::mark_saved(Lease& lease) {
  Task& task = task_at(lease.task);
  task.saved = task.done;
  task.datacenter = market_of(lease).datacenter;
  task.paid_saved += task.paid_unsaved;
  task.paid_unsaved = 0;
  for (Slice& slice : lease.slices) {
    if (slice.task == lease.task) slice.saved = true;
  }
}

/// With a notice that is long enough, the last thing a revoked instance does is to save.
void BrokerRun::save_within_notice(Lease& lease) {
  if (settings_.fault_tolerance->snapshots() == FaultTolerance::Snapshots::kNone) return;
  if (lease.slices.empty() || lease.task == kNoTask) return;
  const Seconds takes = save_seconds(lease);
  Slice& last = lease.slices.back();
  if (last.phase != Phase::kRun || takes > settings_.notice || last.seconds < takes) return;
  last.seconds -= takes;
  task_at(lease.task).done -= takes;
  lease.slices.push_back({.task = kNoTask, .phase = Phase::kSave, .seconds = takes});
  ++result_.checkpoints;
  mark_saved(lease);
}

// The end of tasks.

void BrokerRun::complete(std::int32_t id, Seconds now) {
  Lease& lease = lease_at(id);
  const std::int32_t done = lease.task;
  Task& task = task_at(done);
  task.state = Task::State::kDone;
  task.lease = -1;
  result_.useful += task.paid_saved + task.paid_unsaved;
  task.paid_saved = task.paid_unsaved = 0;
  ++result_.completed;
  if (now - settings_.start > job_of(task).deadline) ++result_.deadline_violations;
  learn(job_of(task).user, job_of(task).work);
  log(now, "finish", id, task.job);
  if (task.sibling != kNoTask) cancel(task.sibling, now);
  next_task(id, now);
}

/// Ends a task whose sibling was faster.
void BrokerRun::cancel(std::int32_t id, Seconds now) {
  Task& task = task_at(id);
  const std::int32_t lease = task.lease;
  const bool was_waiting = task.is_listed;
  if (was_waiting) stop_waiting(id);
  task.state = Task::State::kCancelled;
  task.lease = -1;
  result_.lost += task.paid_saved + task.paid_unsaved;
  task.paid_saved = task.paid_unsaved = 0;
  if (lease < 0 || lease_at(lease).task != id) return;  // it waits in a queue, which skips it
  Lease& where = lease_at(lease);
  if (!where.is_alive()) return;
  if (where.phase == Phase::kBoot || where.phase == Phase::kRestore) {
    where.task = kNoTask;  // the instance goes on to start
    return;
  }
  close_slice(where, now);
  next_task(lease, now);
  schedule(lease);
}

/// A job that still waits behind others when it has no time left to wait goes back to the list.
void BrokerRun::leave_queue(std::int32_t id, Seconds now) {
  const Task& task = task_at(id);
  if (task.state != Task::State::kAssigned || lease_at(task.lease).task == id) return;
  Lease& lease = lease_at(task.lease);
  const std::int32_t where = task.lease;
  unindex(where);
  lease.queue.erase(std::find(lease.queue.begin(), lease.queue.end(), id));
  const Seconds takes = expected(id, market_of(lease).type);
  lease.queued -= takes;
  lease.expected_free -= takes;
  index(where, now);
  give_back(id, now);
}

void BrokerRun::give_back(std::int32_t id, Seconds now) {
  Task& task = task_at(id);
  if (task.state != Task::State::kAssigned) return;
  task.state = Task::State::kWaiting;
  task.lease = -1;
  returned_.push_back(id);
  want_decision(now);
}

void BrokerRun::return_queue(std::int32_t id, Seconds now) {
  Lease& lease = lease_at(id);
  for (const std::int32_t task : lease.queue) {
    if (is_assigned(task, id)) give_back(task, now);
  }
  lease.queue.clear();
  lease.queued = 0;
}

// Revocations.

void BrokerRun::revoke(std::int32_t id, Seconds now) {
  ++result_.revocations;
  Lease& lease = lease_at(id);
  close_slice(lease, now);
  if (settings_.notice > 0) save_within_notice(lease);
  log(now, "revocation", id, lease.task == kNoTask ? -1 : task_at(lease.task).job);
  end_lease(id, now, true);
  if (lease.task != kNoTask) {
    Task& task = task_at(lease.task);
    result_.lost += task.paid_unsaved;
    task.paid_unsaved = 0;
    task.done = task.saved;
  }
  recover(id, now);
}

void BrokerRun::recover(std::int32_t id, Seconds now) {
  Lease& lease = lease_at(id);
  const std::int32_t task = lease.task;
  switch (settings_.fault_tolerance->recovery()) {
    case AfterRevocation::kWaitInBid: {
      // Without a snapshot there is nothing to resume; the jobs behind it have not begun.
      if (task == kNoTask || task_at(task).saved == 0) break;
      return_queue(id, now);
      lease.phase = Phase::kSuspended;
      const Seconds again = market_of(lease).prices.first_below(lease.bid, now);
      if (again != kNoTime) events_.push({again, Event::Kind::kResume, id, 0});
      return;
    }
    case AfterRevocation::kMigrate:
      return_queue(id, now);
      if (task != kNoTask) migrate(task, lease.market, now);
      return;
    case AfterRevocation::kRestart:
      break;
  }
  return_queue(id, now);
  if (task != kNoTask) give_back(task, now);
}

/// Moves a job to the market where what is left of it is expected to cost least, at a bid above the
/// price: the same type at a higher price, another type, another datacenter.
void BrokerRun::migrate(std::int32_t id, std::uint32_t from, Seconds now) {
  Task& task = task_at(id);
  const std::uint32_t avoided = avoided_market(task);
  double least = 0;
  std::uint32_t best = kNoMarket;
  for (std::uint32_t i = 0; i < markets_.markets.size(); ++i) {
    const Market& market = markets_.markets[i];
    const MicroUsd price = market.prices.at(now);
    if (i == avoided || price >= kNoCapacityPrice) continue;
    if (expected(id, market.type) == kDoesNotFit) continue;
    const double cost = std::ceil(needs(id, i) / 3600.0) * static_cast<double>(price);
    // A tie goes to the market it came from, which is nearest to its snapshot.
    if (best != kNoMarket && (cost > least || (cost == least && i != from))) continue;
    best = i;
    least = cost;
  }
  if (best == kNoMarket) {
    give_back(id, now);
    return;
  }
  const Market& market = markets_.markets[best];
  const MicroUsd price = market.prices.at(now);
  const MicroUsd bid = bid_in(market, *settings_.bid, markets_.types[market.type], now);
  ++result_.requests;
  (void)start_lease(best, false, std::max(bid, price + kBidStep), id, now);
}

void BrokerRun::resume(std::int32_t id, Seconds now) {
  Lease& lease = lease_at(id);
  if (lease.phase != Phase::kSuspended || !is_assigned(lease.task, id)) return;
  ++leases_in_[lease.market];
  log(now, "resume", id, task_at(lease.task).job);
  begin_instance(id, now);
}

// Time and money.

void BrokerRun::open_hour(std::int32_t id, Seconds now) {
  Lease& lease = lease_at(id);
  lease.hour_end = now + kHour;
  if (settings_.billing == Billing::kPerSecond) return;
  lease.hour_amount = price_hour(lease, now);
  result_.cost += lease.hour_amount;
  log(now, "hour", id, -1, lease.hour_amount);
}

void BrokerRun::end_hour(std::int32_t id, Seconds now) {
  Lease& lease = lease_at(id);
  close_slice(lease, now);
  if (settings_.billing == Billing::kHourly) {
    if (lease.phase == Phase::kIdle) {
      end_lease(id, now, false);
      return;
    }
    close_slices(lease, true);
  }
  unindex(id);
  open_hour(id, now);
  if (settings_.fault_tolerance->snapshots() == FaultTolerance::Snapshots::kHourly) {
    plan_snapshot(lease, now);
  }
  index(id, now);
  changed(id, now);
}

void BrokerRun::close_slice(Lease& lease, Seconds now) {
  const Seconds seconds = now - lease.phase_begin;
  lease.phase_begin = now;
  if (seconds == 0) return;
  const bool is_work = lease.phase == Phase::kRun;
  if (is_work) task_at(lease.task).done += seconds;
  lease.slices.push_back({.task = is_work ? lease.task : kNoTask,
                          .phase = lease.phase,
                          .saved = false,
                          .seconds = seconds});
}

/// Says what the seconds of an hour were good for. What was not paid counts for nothing.
void BrokerRun::close_slices(Lease& lease, bool paid) {
  for (const Slice& slice : lease.slices) {
    if (!paid) break;
    result_.paid += slice.seconds;
    if (lease.on_demand) result_.on_demand += slice.seconds;
    if (slice.task == kNoTask) {
      (slice.phase == Phase::kIdle ? result_.idle : result_.overhead) += slice.seconds;
      continue;
    }
    Task& task = task_at(slice.task);
    if (task.state == Task::State::kDone) {
      result_.useful += slice.seconds;
    } else if (task.state == Task::State::kCancelled) {
      result_.lost += slice.seconds;
    } else {
      (slice.saved ? task.paid_saved : task.paid_unsaved) += slice.seconds;
    }
  }
  lease.slices.clear();
}

void BrokerRun::end_lease(std::int32_t id, Seconds now, bool by_provider) {
  Lease& lease = lease_at(id);
  unindex(id);
  --leases_in_[lease.market];
  lease.phase = Phase::kEnded;
  lease.next_event = kNoTime;
  ++lease.version;
  if (settings_.billing == Billing::kPerSecond) {
    pay_by_second(id, now);
    close_slices(lease, true);
    return;
  }
  if (!by_provider || now == lease.hour_end) {
    // The broker never ends an instance inside an hour that it has paid; a revocation at the end of
    // an hour leaves none that is not full.
    close_slices(lease, true);
    log(now, "end", id);
    return;
  }
  result_.cost -= lease.hour_amount;
  log(now, "refund", id, -1, -lease.hour_amount);
  close_slices(lease, false);
}

void BrokerRun::pay_by_second(std::int32_t id, Seconds now) {
  constexpr Seconds kLeast = 60;
  Lease& lease = lease_at(id);
  const Seconds paid_until = std::max(now, lease.begin + kLeast);
  if (paid_until > now) {
    lease.slices.push_back({.task = kNoTask, .phase = Phase::kIdle, .seconds = paid_until - now});
  }
  const std::int64_t sum = lease.on_demand
                               ? type_of(lease).on_demand_price * (paid_until - lease.begin)
                               : market_of(lease).prices.price_seconds(lease.begin, paid_until);
  const MicroUsd amount = (sum + kHour / 2) / kHour;
  result_.cost += amount;
  log(now, "seconds", id, -1, amount);
}

// The indices by which decisions find a lease.

void BrokerRun::index(std::int32_t id, Seconds now) {
  Lease& lease = lease_at(id);
  if (!lease.is_alive() || lease.index != nullptr) return;
  const bool is_idle = lease.phase == Phase::kIdle;
  if (!is_idle && lease.expected_free < now) return;
  const Seconds key = is_idle ? lease.hour_end : lease.hour_end - lease.expected_free;
  lease.index = &(is_idle ? idle_ : busy_)[market_of(lease).type];
  lease.in_index = lease.index->insert({key, id}).first;
}

void BrokerRun::unindex(std::int32_t id) {
  Lease& lease = lease_at(id);
  if (lease.index == nullptr) return;
  lease.index->erase(lease.in_index);
  lease.index = nullptr;
}

void BrokerRun::changed(std::int32_t id, Seconds now) {
  Lease& lease = lease_at(id);
  if (lease.was_changed || waiting_[market_of(lease).type].empty()) return;
  lease.was_changed = true;
  changed_.push_back(id);
  want_decision(now);
}

}  // namespace cospot
