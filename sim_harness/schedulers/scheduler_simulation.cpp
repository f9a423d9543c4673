#include "sim_harness/schedulers/scheduler_simulation.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "sim_harness/engine/placement_checks.hpp"
#include "sim_harness/schedulers/subset_ranking.hpp"

namespace cospot {
namespace {

constexpr std::size_t kEventsBetweenPolls = 16;
constexpr std::uint64_t kArrivalsBetweenForgetting = 64;

/// The last time, not after `now`, at which a view is refreshed that is every `interval` from
/// `phase` on.
SimTime last_refresh(SimTime now, SimTime interval, SimTime phase) {
  const std::int64_t since = (now - phase).count();
  const std::int64_t step = interval.count();
  const std::int64_t rest = (since % step + step) % step;
  return now - SimTime{rest};
}

}  // namespace

std::vector<std::uint32_t> tenant_numbers(const Workload& workload) {
  std::unordered_map<std::string_view, std::uint32_t> number_of;  // never iterated
  std::vector<std::uint32_t> numbers;
  numbers.reserve(workload.rows.size());
  for (const WorkloadRow& row : workload.rows) {
    const auto next = static_cast<std::uint32_t>(number_of.size());
    numbers.push_back(number_of.try_emplace(row.tenant, next).first->second);
  }
  return numbers;
}

SchedulerSimulation::SchedulerSimulation(const EventSchedule& schedule, const HostTable& hosts,
                                         const Allocator& allocator,
                                         const SchedulerSettings& settings,
                                         std::vector<std::uint32_t> tenant_of)
    : schedule_(&schedule),
      settings_(settings),
      tenant_of_(std::move(tenant_of)),
      true_(schedule, hosts, allocator, settings.commit) {
  require_placements_seen(schedule, *allocator.vm);
  Random seeds(settings.seed);
  for (std::size_t i = 0; i < settings.schedulers; ++i) {
    schedulers_.push_back(
        std::make_unique<Scheduler>(schedule, hosts, allocator, true_.log(), seeds.next_u64()));
  }
}

void SchedulerSimulation::run() {
  for (std::size_t i = 0; i < schedule_->events.size(); ++i) {
    if (i % kEventsBetweenPolls == 0) stop_.check();
    // Later departures change nothing.
    if (i >= schedule_->events_to_last_arrival && pending_.empty()) break;
    process(schedule_->events[i]);
  }
  end_decisions(kNever, true);
  const std::uint64_t placed = result_.vm.placed + result_.spot.placed;
  constexpr double kMicrosecondsPerMs = 1000;
  if (placed > 0) {
    result_.mean_delay_ms =
        static_cast<double>(delay_sum_us_) / static_cast<double>(placed) / kMicrosecondsPerMs;
  }
  result_.longest_delay_ms = static_cast<double>(longest_delay_.count()) / kMicrosecondsPerMs;
}

void SchedulerSimulation::process(const ScheduledEvent& event) {
  if (event.is_departure()) {
    const SimTime now = schedule_->end[event.instance];
    end_decisions(now, false);
    const std::optional<HostIndex> host = true_.depart(event, now);
    if (host && observer_ != nullptr) observer_->departed(event.instance, *host, now);
    return;
  }
  const SimTime now = schedule_->start[event.instance];
  end_decisions(now, true);
  if (++arrivals_ % kArrivalsBetweenForgetting == 0) forget_known_changes();
  count_request(event);
  const std::uint64_t turn =
      settings_.deal == DealRule::kByRequest ? arrivals_ - 1 : tenant_of_[event.instance];
  const std::size_t number = turn % schedulers_.size();
  schedulers_[number]->waiting.push_back(event);
  begin_next(number, now);
}

void SchedulerSimulation::count_request(const ScheduledEvent& arrival) {
  ClassOutcome& outcome = outcome_of(arrival);
  ++outcome.requests;
  outcome.revenue_requested +=
      schedule_->revenue(schedule_->resources(arrival).vcpus, schedule_->start[arrival.instance],
                         schedule_->end[arrival.instance]);
}

/// Ends the decisions that end before `now`, or then, too.
void SchedulerSimulation::end_decisions(SimTime now, bool also_at_now) {
  while (!pending_.empty()) {
    const PendingEnd next = pending_.front();
    if (next.time > now || (next.time == now && !also_at_now)) return;
    pending_.pop_front();
    end_decision(next.scheduler, next.time);
  }
}

bool SchedulerSimulation::is_withdrawn(const ScheduledEvent& arrival, SimTime now) const {
  return now > schedule_->start[arrival.instance] && schedule_->end[arrival.instance] <= now;
}

/// Takes the next request of a scheduler that is free.
void SchedulerSimulation::begin_next(std::size_t number, SimTime now) {
  Scheduler& scheduler = *schedulers_[number];
  while (!scheduler.is_busy && !scheduler.waiting.empty()) {
    scheduler.arrival = scheduler.waiting.front();
    scheduler.waiting.pop_front();
    if (is_withdrawn(scheduler.arrival, now)) {
      lose(scheduler.arrival, &ClassOutcome::withdrawn, &ClassOutcome::revenue_lost_to_delay);
      continue;
    }
    scheduler.is_busy = true;
    scheduler.retries = 0;
    scheduler.declined.clear();
    refresh(scheduler, number, now);
    begin_decision(number, now);
  }
}

void SchedulerSimulation::refresh(Scheduler& scheduler, std::size_t number, SimTime now) {
  const SimTime interval = settings_.refresh_interval;
  if (interval.count() == 0) {
    scheduler.view.learn_all();
    return;
  }
  // They take turns within the interval.
  const SimTime phase =
      interval * static_cast<std::int64_t>(number) / static_cast<std::int64_t>(schedulers_.size());
  scheduler.view.learn_before(last_refresh(now, interval, phase));
}

void SchedulerSimulation::begin_decision(std::size_t number, SimTime now) {
  schedulers_[number]->begun = now;
  if (settings_.decision_time.count() == 0) {
    end_decision(number, now);
  } else {
    pending_.push_back({.time = now + settings_.decision_time, .scheduler = number});
  }
}

/// The view is as it was when the decision began, so that it can be made now.
void SchedulerSimulation::end_decision(std::size_t number, SimTime now) {
  Scheduler& scheduler = *schedulers_[number];
  After after = After::kDecideAgain;
  if (is_withdrawn(scheduler.arrival, now)) {
    lose(scheduler.arrival, &ClassOutcome::withdrawn, &ClassOutcome::revenue_lost_to_delay);
    after = After::kDone;
  }
  while (after == After::kDecideAgain) after = try_commit(scheduler, now);
  if (after == After::kDecideLater) return begin_decision(number, now);
  scheduler.is_busy = false;
  begin_next(number, now);
}

Request SchedulerSimulation::request_of(Scheduler& scheduler) const {
  Request request = schedule_->request(scheduler.arrival);
  request.time = scheduler.begun;
  request.placement = scheduler.view.hosts().placement_of(request.instance);
  return request;
}

Choice SchedulerSimulation::decide(Scheduler& scheduler, const Request& request) {
  ProviderHosts& hosts = scheduler.view.hosts();
  HostRanking& all = hosts.ranking_for(request);
  SubsetRanking others(all, scheduler.declined, settings_.host_subset_size, scheduler.random);
  const bool takes_first = scheduler.declined.empty() && settings_.host_subset_size == 1;
  HostRanking& ranking = takes_first ? all : static_cast<HostRanking&>(others);
  if (!request.is_spot()) return hosts.answer(request, ranking);
  ranking.start(request);
  const HostIndex host = ranking.next();
  if (host == kNoHost) return {};
  return {.host = {.host = host, .generation = hosts.table().generation(host)}, .victims = {}};
}

SchedulerSimulation::After SchedulerSimulation::try_commit(Scheduler& scheduler, SimTime now) {
  Request request = request_of(scheduler);
  const Choice choice = decide(scheduler, request);
  request.time = now;
  if (!choice.has_host()) {
    lose_without_host(scheduler, request);
    return After::kDone;
  }
  ClassOutcome& outcome = outcome_of(scheduler.arrival);
  ++outcome.commits;
  if (!true_.commit(choice, request)) return declined(scheduler, choice, now);
  scheduler.view.learn_host(choice.host.host);
  place(choice, request);
  return After::kDone;
}

SchedulerSimulation::After SchedulerSimulation::declined(Scheduler& scheduler, const Choice& choice,
                                                         SimTime now) {
  ++outcome_of(scheduler.arrival).conflicts;
  result_.evictions_averted += choice.victims.size();
  scheduler.view.learn_host(choice.host.host);
  if (scheduler.retries == settings_.retries) {
    lose(scheduler.arrival, &ClassOutcome::lost_to_conflicts,
         &ClassOutcome::revenue_lost_to_conflicts);
    return After::kDone;
  }
  ++scheduler.retries;
  ++result_.retries;
  if (settings_.retry == RetryRule::kAlternates) {
    scheduler.declined.push_back(choice.host.host);
    return After::kDecideAgain;
  }
  scheduler.view.learn_all();
  scheduler.begun = now;
  return settings_.decision_time.count() == 0 ? After::kDecideAgain : After::kDecideLater;
}

void SchedulerSimulation::place(const Choice& choice, const Request& request) {
  const SimTime now = request.time;
  for (const RunningSpot& victim : true_.victims()) {
    ++result_.evictions;
    result_.spot.revenue_lost_to_evictions +=
        schedule_->revenue(victim.resources.vcpus, now, victim.ends_at);
    if (observer_ != nullptr) observer_->evicted(victim.instance, choice.host.host, request);
  }
  if (true_.evicted_needlessly()) result_.evictions_needless += true_.victims().size();
  for (const InstanceIndex named : choice.victims) {
    const bool went = std::ranges::any_of(
        true_.victims(), [named](const RunningSpot& spot) { return spot.instance == named; });
    if (!went) ++result_.evictions_averted;
  }
  ClassOutcome& outcome = request.is_spot() ? result_.spot : result_.vm;
  const SimTime asked = schedule_->start[request.instance];
  ++outcome.placed;
  outcome.revenue_lost_to_delay += schedule_->revenue(request.vcpus, asked, now);
  delay_sum_us_ += (now - asked).count();
  longest_delay_ = std::max(longest_delay_, now - asked);
  if (observer_ != nullptr) observer_->placed(request, choice.host.host);
}

/// With a host that declined, it is a conflict that cost the request; else its view or the room.
void SchedulerSimulation::lose_without_host(const Scheduler& scheduler, const Request& request) {
  if (!scheduler.declined.empty()) {
    lose(scheduler.arrival, &ClassOutcome::lost_to_conflicts,
         &ClassOutcome::revenue_lost_to_conflicts);
  } else if (true_.has_host_for(request)) {
    lose(scheduler.arrival, &ClassOutcome::rejected_on_stale, &ClassOutcome::revenue_lost_to_stale);
  } else {
    lose(scheduler.arrival, &ClassOutcome::rejected, &ClassOutcome::revenue_lost_to_room);
  }
}

void SchedulerSimulation::lose(const ScheduledEvent& arrival, std::uint64_t ClassOutcome::*count,
                               Revenue ClassOutcome::*revenue) {
  ClassOutcome& outcome = outcome_of(arrival);
  const Request request = schedule_->request(arrival);
  ++(outcome.*count);
  outcome.*revenue +=
      schedule_->revenue(request.vcpus, request.time, schedule_->end[arrival.instance]);
  if (observer_ != nullptr) observer_->rejected(request);
}

void SchedulerSimulation::forget_known_changes() {
  std::uint64_t known = UINT64_MAX;
  for (const auto& scheduler : schedulers_) known = std::min(known, scheduler->view.known());
  true_.forget_before(known);
}

}  // namespace cospot
