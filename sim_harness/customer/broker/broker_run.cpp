// The decisions of the broker: section III of the paper, step by step.
#include "sim_harness/customer/broker/broker_run.hpp"

#include <algorithm>
#include <cmath>

namespace cospot {
namespace {

/// The longest wait of a job for capacity in one market before it looks for another.
constexpr Seconds kLookElsewhere = 600;

}  // namespace

BrokerRun::BrokerRun(const MarketSet& markets, std::span<const BrokerJob> jobs,
                     const BrokerSettings& settings, BrokerObserver* observer)
    : markets_(markets),
      jobs_(jobs),
      settings_(settings),
      observer_(observer),
      events_(settings.start),
      idle_(markets.types.size()),
      busy_(markets.types.size()),
      waiting_(markets.types.size()),
      leases_in_(markets.markets.size()) {
  result_.jobs = jobs.size();
  for (const Market& market : markets.markets) {
    last_price_change_ = std::max(last_price_change_, market.prices.end());
  }
  tasks_.reserve(2 * jobs.size());  // a job and its replica
  expected_.reserve(tasks_.capacity() * markets.types.size());
}

BrokerResult BrokerRun::run() {
  if (!jobs_.empty()) want_decision(settings_.start + jobs_.front().submission);
  while (next_decision_ != kNoTime || !events_.empty()) {
    poll_.check();
    if (events_.empty() || next_decision_ < events_.top().time) {
      const Seconds now = std::exchange(next_decision_, kNoTime);
      decide(now);
      continue;
    }
    const Event event = events_.top();
    events_.pop();
    if (event.kind == Event::Kind::kLease) {
      Lease& lease = lease_at(event.id);
      if (event.version != lease.version) continue;
      lease.next_event = kNoTime;
      advance(event.id, event.time);
    } else if (event.kind == Event::Kind::kResume) {
      resume(event.id, event.time);
    } else if (event.version == task_at(event.id).version) {
      wake(event);
    }
  }
  for (const Task& task : tasks_)
    result_.lost += task.paid_saved + task.paid_unsaved;  // never done
  result_.unfinished = result_.jobs - result_.completed;
  result_.deadline_violations += result_.unfinished;
  return result_;
}

/// The event that a task waited for has happened.
void BrokerRun::wake(const Event& event) {
  const Task& task = task_at(event.id);
  if (event.kind == Event::Kind::kQueued) {
    leave_queue(event.id, event.time);
  } else if (event.kind == Event::Kind::kPending) {
    const std::uint32_t market = task.pending_market;
    const MicroUsd bid = task.pending_bid;
    stop_waiting(event.id);
    (void)start_lease(market, false, bid, event.id, event.time);
  } else {
    due_.push_back(event.id);
    want_decision(event.time);
  }
}

/// The time at which the job's urgency is 0: it can wait until then.
Seconds BrokerRun::latest_start(std::int32_t id) const {
  const Task& task = tasks_[static_cast<std::size_t>(id)];
  const double needs = settings_.alpha * static_cast<double>(expected(id, task.preferred)) +
                       static_cast<double>(settings_.boot);
  return settings_.start + job_of(task).deadline - static_cast<Seconds>(std::ceil(needs));
}

void BrokerRun::want_decision(Seconds time) {
  const Seconds past = time - settings_.start;
  const Seconds at =
      settings_.start + (past + settings_.interval - 1) / settings_.interval * settings_.interval;
  next_decision_ = std::min(next_decision_, at);
}

void BrokerRun::decide(Seconds now) {
  offer_leases(now);
  std::vector<std::int32_t> returned;
  returned.swap(returned_);
  for (const std::int32_t task : returned) place(task, now);
  submit_jobs(now);
  std::vector<std::int32_t> due;
  due.swap(due_);
  for (const std::int32_t task : due) {
    if (!task_at(task).is_listed) continue;
    stop_waiting(task);
    provision(task, now);
  }
}

/// Steps 3 and 4 for jobs that wait already: instances with more paid time left than before.
void BrokerRun::offer_leases(Seconds now) {
  std::vector<std::int32_t> changed;
  changed.swap(changed_);
  std::sort(changed.begin(), changed.end());
  for (const std::int32_t lease : changed) {
    lease_at(lease).was_changed = false;
    fill_lease(lease, now);
  }
}

/// Gives a lease the waiting tasks that fit into its paid time, the longest first.
void BrokerRun::fill_lease(std::int32_t id, Seconds now) {
  for (;;) {
    Lease& lease = lease_at(id);
    if (!lease.is_alive() || lease.index == nullptr) return;
    const Ordered& waiting = waiting_[market_of(lease).type];
    const bool is_idle = lease.phase == Phase::kIdle;
    const Seconds free = is_idle ? now : lease.expected_free;
    if (waiting.empty() || free < now) return;
    auto found =
        waiting.upper_bound({lease.hour_end - free, std::numeric_limits<std::int32_t>::max()});
    std::int32_t task = kNoTask;
    while (task == kNoTask && found != waiting.begin()) {
      --found;
      const Task& one = task_at(found->second);
      const bool can_wait = is_idle || latest_start(found->second) >= std::max(free, now + 1);
      if (can_wait && avoided_market(one) != lease.market) task = found->second;
    }
    if (task == kNoTask) return;
    stop_waiting(task);
    assign(id, task, now);
  }
}

void BrokerRun::submit_jobs(Seconds now) {
  while (next_job_ < jobs_.size() && settings_.start + jobs_[next_job_].submission <= now) {
    const BrokerJob& job = jobs_[next_job_];
    Task task{.job = static_cast<std::int32_t>(next_job_++)};
    const auto id = static_cast<std::int32_t>(tasks_.size());
    expect(job);
    task.preferred = preferred_type(markets_.types, job, expected(id));
    const auto markets = std::ranges::count_if(markets_.markets, [&](const Market& market) {
      return expected(id, market.type) < kDoesNotFit;
    });
    const bool twice =
        markets > 1 && settings_.fault_tolerance->duplicates(expected(id, task.preferred));
    if (twice) task.sibling = id + 1;
    tasks_.push_back(task);
    task.sibling = id;
    if (twice) {
      expect(job);
      tasks_.push_back(task);
    }
    place(id, now);
    if (twice) place(id + 1, now);
  }
  if (next_job_ < jobs_.size()) want_decision(settings_.start + jobs_[next_job_].submission);
}

/// The mean of the user's last two jobs that were done; before that, what the user says.
double BrokerRun::expected_work(const BrokerJob& job) const {
  const auto known = last_work_.find(job.user);
  if (known == last_work_.end() || known->second.second <= 0) return job.estimate;
  return (known->second.first + known->second.second) / 2;
}

void BrokerRun::learn(std::int64_t user, double work) {
  std::pair<double, double>& last = last_work_[user];
  last = {work, last.first};
}

/// Says how long the next task, which is of this job, is expected to take: once, as it is asked for
/// at every decision on the task.
void BrokerRun::expect(const BrokerJob& job) {
  const double work = expected_work(job);
  for (const InstanceType& type : markets_.types) expected_.push_back(time_on(type, work, job));
}

std::uint32_t BrokerRun::avoided_market(const Task& task) const {
  if (task.sibling == kNoTask) return kNoMarket;
  const Task& other = tasks_[static_cast<std::size_t>(task.sibling)];
  if (other.lease < 0) return other.pending_market;
  return leases_[static_cast<std::size_t>(other.lease)].market;
}

void BrokerRun::place(std::int32_t id, Seconds now) {
  if (task_at(id).state != Task::State::kWaiting) return;  // its sibling was faster
  if (!reuse(id, now)) provision(id, now);
}

/// Step 3: an idle instance with enough time before its hour ends; step 4: one that is expected to
/// become idle soon enough. The one with least time to spare, the preferred type first.
bool BrokerRun::reuse(std::int32_t id, Seconds now) {
  const Task& task = task_at(id);
  const std::uint32_t avoided = avoided_market(task);
  const Seconds can_wait_until = latest_start(id);
  for (const bool is_idle : {true, false}) {
    if (!is_idle && can_wait_until <= now) break;  // urgent
    for (std::uint32_t i = 0; i <= markets_.types.size(); ++i) {
      if (i > 0 && i - 1 == task.preferred) continue;
      const std::uint32_t type = i == 0 ? task.preferred : i - 1;
      Ordered& leases = (is_idle ? idle_ : busy_)[type];
      if (leases.empty()) continue;
      const Seconds needed = expected(id, type) + (is_idle ? now : 0);
      for (auto found = leases.lower_bound({needed, -1}); found != leases.end();) {
        const std::int32_t lease = found->second;
        ++found;
        if (!is_idle && lease_at(lease).expected_free < now) {
          unindex(lease);  // it takes longer than expected: nobody knows when it will be idle
          continue;
        }
        if (lease_at(lease).market == avoided) continue;
        if (!is_idle && lease_at(lease).expected_free > can_wait_until) continue;
        assign(lease, id, now);
        return true;
      }
    }
  }
  return false;
}

std::uint32_t BrokerRun::choose_market(std::int32_t id, bool on_demand, Seconds now) const {
  const Task& task = tasks_[static_cast<std::size_t>(id)];
  return settings_.market_choice->choose({.markets = &markets_,
                                          .bid = settings_.bid,
                                          .now = now,
                                          .boot = settings_.boot,
                                          .on_demand = on_demand,
                                          .expected = expected(id),
                                          .preferred_type = task.preferred,
                                          .avoid = avoided_market(task),
                                          .leases = leases_in_});
}

/// Step 5 and Algorithm 1: extend a lease, start one, or wait.
void BrokerRun::provision(std::int32_t id, Seconds now) {
  const Task& task = task_at(id);
  const Seconds takes = expected(id, task.preferred);
  const Seconds deadline = settings_.start + job_of(task).deadline;
  const bool is_last_chance =
      settings_.on_demand_fallback && urgency(deadline, now, 2, takes, settings_.boot) == 0;
  const bool on_demand = settings_.on_demand_only || is_last_chance;
  const std::uint32_t choice = choose_market(id, on_demand, now);
  const Market& market = markets_.markets[choice];
  if (on_demand) {
    if (extend(id, choice, true, now)) return;
    ++result_.requests;
    (void)start_lease(choice, true, 0, id, now);
    return;
  }
  const MicroUsd price = market.prices.at(now);
  const MicroUsd bid = bid_in(market, *settings_.bid, markets_.types[market.type], now);
  const Seconds can_wait = urgency(deadline, now, settings_.alpha, takes, settings_.boot);
  BidCheck check = check_bid(bid, price, can_wait, now);
  if (price >= kNoCapacityPrice) {  // no bid helps; look elsewhere after a while
    const bool may_change = now < last_price_change_ || settings_.on_demand_fallback;
    const Seconds later = now + std::max<Seconds>(can_wait, kLookElsewhere);
    check = {.bid = bid, .check_again = may_change ? later : kNoTime};
  }
  const bool postpones = settings_.postpones && can_wait > 0;
  if (check.starts_now && !postpones) {
    if (extend(id, choice, false, now)) return;
    ++result_.requests;
    (void)start_lease(choice, false, check.bid, id, now);
    return;
  }
  if (!postpones) request(id, choice, check.bid, now);
  wait(id, check.check_again);
  const Seconds start = postpones ? kNoTime : market.prices.first_below(check.bid, now);
  if (start != kNoTime) events_.push({start, Event::Kind::kPending, id, task_at(id).version});
}

/// Asks for an instance at a bid that is not above the price.
void BrokerRun::request(std::int32_t id, std::uint32_t market, MicroUsd bid, Seconds now) {
  Task& task = task_at(id);
  ++result_.requests;
  task.pending_market = market;
  task.pending_bid = bid;
  log(now, "request", -1, task.job);
}

/// Takes an idle instance although its hour is not enough, if the hours that this adds cost no more
/// than those of a new one; in place of a new on-demand instance only another one, as spots end.
bool BrokerRun::extend(std::int32_t id, std::uint32_t choice, bool on_demand, Seconds now) {
  const Task& task = task_at(id);
  const std::uint32_t type = markets_.markets[choice].type;
  if (idle_[type].empty()) return false;
  const std::int32_t last = std::prev(idle_[type].end())->second;
  const Lease& lease = lease_at(last);
  if (lease.market == avoided_market(task) || (on_demand && !lease.on_demand)) return false;
  const Seconds takes = expected(id, type);
  const auto hours = [](Seconds seconds) { return (seconds + kHour - 1) / kHour; };
  const MicroUsd price =
      on_demand ? markets_.types[type].on_demand_price : markets_.markets[choice].prices.at(now);
  const MicroUsd added =
      hours(std::max<Seconds>(0, takes - (lease.hour_end - now))) * price_hour(lease, now);
  if (added > hours(takes + settings_.boot) * price) return false;
  assign(last, id, now);
  return true;
}

void BrokerRun::wait(std::int32_t id, Seconds check_again) {
  Task& task = task_at(id);
  ++task.version;
  task.is_listed = true;
  for (std::uint32_t type = 0; type < waiting_.size(); ++type) {
    const Seconds takes = expected(id, type);
    if (takes <= kHour) waiting_[type].insert({takes, id});  // no paid hour has room for more
  }
  if (check_again != kNoTime) {
    events_.push({check_again, Event::Kind::kCheck, id, task.version});
  }
}

void BrokerRun::stop_waiting(std::int32_t id) {
  Task& task = task_at(id);
  ++task.version;
  if (!task.is_listed) return;
  task.is_listed = false;
  task.pending_market = kNoMarket;
  for (std::uint32_t type = 0; type < waiting_.size(); ++type) {
    const Seconds takes = expected(id, type);
    if (takes <= kHour) waiting_[type].erase({takes, id});
  }
}

BrokerResult run_broker(const MarketSet& markets, std::span<const BrokerJob> jobs,
                        const BrokerSettings& settings, BrokerObserver* observer) {
  return BrokerRun(markets, jobs, settings, observer).run();
}

}  // namespace cospot
