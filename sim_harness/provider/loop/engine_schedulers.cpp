// Several schedulers that decide at the same time, each on a view of its own.

#include <algorithm>

#include "sim_harness/provider/loop/simulation_engine.hpp"
#include "sim_harness/provider/schedulers/subset_ranking.hpp"

namespace cospot {

bool SimulationEngine::is_withdrawn(const Ask& asked) const {
  return now_ > asked.since && rows_[asked.instance].ends_at <= now_;
}

void SimulationEngine::withdraw(const Ask& asked) {
  reject(request_of(asked.instance), LossCause::kDelay);
  rows_[asked.instance].stage = Stage::kGone;
}

/// Takes the next request of a scheduler that is free.
void SimulationEngine::begin_next(std::size_t number) {
  Scheduler& scheduler = (*schedulers_)[number];
  while (!scheduler.is_busy && !scheduler.waiting.empty()) {
    scheduler.asked = scheduler.waiting.front();
    scheduler.waiting.pop_front();
    if (is_withdrawn(scheduler.asked)) {
      withdraw(scheduler.asked);
      continue;
    }
    scheduler.is_busy = true;
    scheduler.retries = 0;
    scheduler.declined.clear();
    schedulers_->refresh(number, now_);
    begin_decision(number);
  }
}

void SimulationEngine::begin_decision(std::size_t number) {
  const SimTime takes = schedulers_->settings().decision_time;
  (*schedulers_)[number].begun = now_;
  if (takes.count() == 0) return end_decision(number);
  push({now_ + takes, DueKind::kDecision, decisions_++, static_cast<std::uint32_t>(number)});
}

/// The view is as it was when the decision began, so that it can be made now.
void SimulationEngine::end_decision(std::size_t number) {
  Scheduler& scheduler = (*schedulers_)[number];
  After after = After::kDecideAgain;
  if (is_withdrawn(scheduler.asked)) {
    withdraw(scheduler.asked);
    after = After::kDone;
  }
  while (after == After::kDecideAgain) after = try_commit(scheduler);
  if (after == After::kDecideLater) return begin_decision(number);
  scheduler.is_busy = false;
  begin_next(number);
}

Choice SimulationEngine::decide(Scheduler& scheduler, const Request& request) {
  ProviderHosts& hosts = scheduler.view.hosts();
  const std::size_t subset = schedulers_->settings().host_subset_size;
  HostRanking& all = hosts.ranking_for(request);
  SubsetRanking others(all, scheduler.declined, subset, scheduler.random);
  const bool takes_first = scheduler.declined.empty() && subset == 1;
  HostRanking& ranking = takes_first ? all : static_cast<HostRanking&>(others);
  if (decision_observer_ != nullptr) decision_observer_->deciding(hosts, request);
  Choice choice;
  if (!request.is_spot()) {
    choice = decision_observer_ == nullptr
                 ? hosts.answer(request, ranking)
                 : hosts.answer(request, ranking, OfferWatch(*decision_observer_, now_));
  } else {
    ranking.start(request);
    const HostIndex host = ranking.next();
    if (host != kNoHost) choice.host = {.host = host, .generation = hosts.table().generation(host)};
  }
  if (decision_observer_ != nullptr) decision_observer_->decided(request, choice);
  return choice;
}

SimulationEngine::After SimulationEngine::try_commit(Scheduler& scheduler) {
  const Ask asked = scheduler.asked;
  Request request = request_of(asked.instance);
  const Placement* const placement = request.placement;
  request.time = scheduler.begun;
  request.placement = scheduler.view.hosts().placement_of(asked.instance);
  const Choice choice = decide(scheduler, request);
  request.time = now_;
  request.placement = placement;
  if (!choice.has_host()) {
    // With a host that declined, it is a conflict that cost the request; else its view or the room.
    LossCause cause = LossCause::kConflict;
    if (scheduler.declined.empty()) {
      cause = hosts_.first_ranked(request) != kNoHost ? LossCause::kStaleView : LossCause::kRoom;
    }
    lose(asked, request, cause);
    return After::kDone;
  }
  ++losses_of(request).commits;
  const std::optional<Choice> accepted = this->accepted(choice, request);
  if (!accepted) return declined(scheduler, choice, request);
  const bool had_run = rows_[asked.instance].was_placed;
  carry_out(choice, *accepted, request);
  scheduler.view.learn_host(choice.host.host);
  SchedulerResult& result = schedulers_->result;
  ++result.placements;
  result.delay += now_ - asked.since;
  result.longest_delay = std::max(result.longest_delay, now_ - asked.since);
  answered(asked, had_run, true);
  return After::kDone;
}

/// The choice that is carried out; nothing: the commit is declined. What a commit evicts is always
/// the evictor's plan for the host as it then is: the decision's own where the host has not changed
/// since, else, if the rule lets it pass at all, a new one. So no spot goes for a VM that is
/// declined, and none for room that is there by now.
std::optional<Choice> SimulationEngine::accepted(const Choice& choice, const Request& request) {
  const HostIndex host = choice.host.host;
  const HostTable& table = hosts_.table_for(request);
  const bool is_current = cospot::is_current(table, choice);
  if (!is_current && schedulers_->settings().commit == CommitRule::kGeneration) return std::nullopt;
  const bool has_group = request.placement != nullptr && request.placement->group != nullptr;
  // Members of a group may have come to other hosts: no generation tells.
  if ((!is_current || has_group) && !passes(host, request)) return std::nullopt;
  if (is_current) return choice;
  const OfferedHost as_it_is{.host = host, .generation = table.generation(host)};
  if (request.is_spot()) return Choice{.host = as_it_is, .victims = {}};
  const Choice again = hosts_.choose({.request = request, .hosts = {as_it_is}});
  return again.has_host() ? std::optional(again) : std::nullopt;
}

bool SimulationEngine::passes(HostIndex host, const Request& request) {
  hosts_.chain_for(request).weigh(hosts_.table_for(request).view(), {&host, 1}, request, scratch_,
                                  ranked_);
  return !ranked_.empty();
}

void SimulationEngine::carry_out(const Choice& planned, const Choice& choice,
                                 const Request& request) {
  const HostIndex host = choice.host.host;
  SchedulerResult& result = schedulers_->result;
  std::vector<InstanceIndex> victims;
  for (const RunningSpot& spot : hosts_.spots_on(host)) {
    if (std::ranges::find(choice.victims, spot.instance) != choice.victims.end()) {
      victims.push_back(spot.instance);
    }
  }
  for (const InstanceIndex named : planned.victims) {
    if (std::ranges::find(victims, named) == victims.end()) ++result.evictions_averted;
  }
  if (!victims.empty() && !hosts_.needs_evictions(host, request)) {
    result.evictions_needless += victims.size();
  }
  evict(host, victims, request);
  place(host, request);
}

SimulationEngine::After SimulationEngine::declined(Scheduler& scheduler, const Choice& choice,
                                                   const Request& request) {
  const SchedulerSettings& settings = schedulers_->settings();
  ++losses_of(request).conflicts;
  schedulers_->result.evictions_averted += choice.victims.size();
  tell(LifeEventKind::kDecline, request.instance, choice.host.host);
  scheduler.view.learn_host(choice.host.host);
  if (scheduler.retries == settings.retries) {
    lose(scheduler.asked, request, LossCause::kConflict);
    return After::kDone;
  }
  ++scheduler.retries;
  ++schedulers_->result.retries;
  if (settings.retry == RetryRule::kAlternates) {
    scheduler.declined.push_back(choice.host.host);
    return After::kDecideAgain;
  }
  scheduler.view.learn_all();
  scheduler.begun = now_;
  return settings.decision_time.count() == 0 ? After::kDecideAgain : After::kDecideLater;
}

void SimulationEngine::lose(const Ask& asked, const Request& request, LossCause cause) {
  reject(request, cause);
  answered(asked, rows_[asked.instance].was_placed, false);
}

}  // namespace cospot
