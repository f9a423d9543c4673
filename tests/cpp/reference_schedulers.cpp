#include "tests/cpp/reference_schedulers.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <tuple>

#include "core/random.hpp"

namespace cospot::reference {
namespace {

struct Item {
  InstanceIndex row = 0;
  ResourceVector size;
};

/// A host with what is on it, oldest placement first; the version counts its changes.
struct Host {
  std::vector<Item> vms, spots;
  std::size_t version = 0;
};
using State = std::vector<Host>;

ResourceVector sum(const std::vector<Item>& items) {
  ResourceVector all;
  for (const Item& item : items) all += item.size;
  return all;
}

/// How many of the oldest spots must go so that `size` fits; nothing: all are not enough.
std::optional<std::size_t> oldest_to_go(const Host& host, const ResourceVector& size,
                                        const ResourceVector& total) {
  for (std::size_t gone = 0; gone <= host.spots.size(); ++gone) {
    ResourceVector used = sum(host.vms) + size;
    for (std::size_t i = gone; i < host.spots.size(); ++i) used += host.spots[i].size;
    if (used.fits_in(total)) return gone;
  }
  return std::nullopt;
}

struct Decision {
  std::optional<std::size_t> host{};
  std::vector<InstanceIndex> victims{};
};

class Schedulers {
 public:
  Schedulers(const Workload& workload, const SchedulersCase& settings)
      : workload_(workload), case_(settings), settings_(settings.schedulers) {
    truth_.resize(settings.hosts);
    Random seeds(settings_.seed);
    for (std::size_t i = 0; i < settings_.schedulers; ++i) {
      schedulers_.push_back({.view = truth_, .random = Random(seeds.next_u64())});
    }
  }

  SchedulersOutcome run() {
    const std::vector<InstanceIndex> arrivals = arrival_order(workload_);
    std::size_t next = 0;
    for (;;) {
      // At equal times: who ended, then decisions in the order of their begin, then arrivals.
      const auto ended = next_departure();
      const auto decided = next_decision();
      std::optional<std::tuple<SimTime, int>> first;
      const auto consider = [&first](SimTime time, int kind) {
        const std::tuple one(time, kind);
        if (!first || one < *first) first = one;
      };
      if (ended) consider(row(*ended).end, 0);
      if (decided) consider(schedulers_[*decided].begun + settings_.decision_time, 1);
      if (next < arrivals.size()) consider(row(arrivals[next]).start, 2);
      if (!first) break;
      now_ = std::get<0>(*first);
      switch (std::get<1>(*first)) {
        case 0:
          depart(*ended);
          break;
        case 1:
          end_decision(*decided);
          break;
        default:
          arrive(arrivals[next++]);
      }
    }
    finish_delays();
    return {.events = std::move(events_), .result = result_};
  }

 private:
  struct Scheduler {
    State view;
    Random random;
    std::deque<InstanceIndex> queue{};
    std::optional<InstanceIndex> deciding{};
    SimTime begun{0};
    std::size_t begin_number = 0;
    std::size_t retries = 0;
    std::vector<std::size_t> declined{};
  };

  [[nodiscard]] const WorkloadRow& row(InstanceIndex instance) const {
    return workload_.rows[instance];
  }
  ClassOutcome& outcome(InstanceIndex instance) {
    return row(instance).is_spot() ? result_.spot : result_.vm;
  }
  [[nodiscard]] Revenue revenue(InstanceIndex instance, SimTime from, SimTime to) const {
    WorkloadRow part = row(instance);
    part.start = from;
    return earned(part, to, workload_.window);
  }

  /// Who runs and ends next; those that end as they start go with their arrival.
  [[nodiscard]] std::optional<InstanceIndex> next_departure() const {
    std::optional<InstanceIndex> first;
    for (const Host& host : truth_) {
      for (const auto* items : {&host.vms, &host.spots}) {
        for (const Item& item : *items) {
          if (row(item.row).end == kNever) continue;
          if (!first || row(item.row).end < row(*first).end) first = item.row;
        }
      }
    }
    return first;
  }

  [[nodiscard]] std::optional<std::size_t> next_decision() const {
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < schedulers_.size(); ++i) {
      if (!schedulers_[i].deciding) continue;
      if (!first || schedulers_[i].begin_number < schedulers_[*first].begin_number) first = i;
    }
    return first;
  }

  void changed(std::size_t host) {
    ++truth_[host].version;
    history_.emplace_back(now_, truth_);
  }

  void depart(InstanceIndex instance) {
    for (std::size_t host = 0; host < truth_.size(); ++host) {
      for (auto* items : {&truth_[host].vms, &truth_[host].spots}) {
        if (std::erase_if(*items, [&](const Item& item) { return item.row == instance; }) == 0) {
          continue;
        }
        changed(host);
      }
    }
  }

  void arrive(InstanceIndex instance) {
    ClassOutcome& of = outcome(instance);
    ++of.requests;
    of.revenue_requested += revenue(instance, row(instance).start, row(instance).end);
    std::size_t turn = dealt_++;
    if (settings_.deal == DealRule::kByTenant) {
      std::vector<std::string> tenants;
      for (const WorkloadRow& other : workload_.rows) {
        if (std::ranges::find(tenants, other.tenant) == tenants.end()) {
          tenants.push_back(other.tenant);
        }
      }
      turn = static_cast<std::size_t>(std::ranges::find(tenants, row(instance).tenant) -
                                      tenants.begin());
    }
    const std::size_t number = turn % schedulers_.size();
    schedulers_[number].queue.push_back(instance);
    take_next(number);
    if (row(instance).end == row(instance).start) depart(instance);
  }

  [[nodiscard]] bool is_over(InstanceIndex instance) const {
    return now_ > row(instance).start && row(instance).end <= now_;
  }

  void take_next(std::size_t number) {
    Scheduler& scheduler = schedulers_[number];
    while (!scheduler.deciding && !scheduler.queue.empty()) {
      const InstanceIndex instance = scheduler.queue.front();
      scheduler.queue.pop_front();
      if (is_over(instance)) {
        withdraw(instance);
        continue;
      }
      scheduler.deciding = instance;
      scheduler.retries = 0;
      scheduler.declined.clear();
      refresh(number);
      begin(scheduler);
      if (settings_.decision_time == SimTime{0}) end_decision(number);
    }
  }

  void begin(Scheduler& scheduler) {
    scheduler.begun = now_;
    scheduler.begin_number = ++begins_;
  }

  /// Whole copies: of what is now, or of what was at the scheduler's last turn to refresh.
  void refresh(std::size_t number) {
    State& view = schedulers_[number].view;
    if (settings_.refresh_interval == SimTime{0}) {
      view = truth_;
      return;
    }
    const std::int64_t step = settings_.refresh_interval.count();
    const std::int64_t phase =
        step * static_cast<std::int64_t>(number) / static_cast<std::int64_t>(schedulers_.size());
    std::int64_t turn = phase;
    while (turn > now_.count()) turn -= step;
    while (turn + step <= now_.count()) turn += step;
    const State* seen = nullptr;
    for (const auto& [time, state] : history_) {
      if (time.count() < turn) seen = &state;
    }
    if (seen == nullptr) return;
    for (std::size_t host = 0; host < view.size(); ++host) {
      // What it knows of hosts that it committed to may be newer.
      if ((*seen)[host].version > view[host].version) view[host] = (*seen)[host];
    }
  }

  /// All hosts that `state` has room on, the best first.
  [[nodiscard]] std::vector<std::size_t> ranked(const State& state, InstanceIndex instance) const {
    const bool is_spot = row(instance).is_spot();
    const ResourceVector size = row(instance).resources;
    std::vector<std::tuple<int, std::int64_t, std::size_t>> all;
    for (std::size_t host = 0; host < state.size(); ++host) {
      const ResourceVector vms = sum(state[host].vms);
      const ResourceVector both = vms + sum(state[host].spots);
      const bool fits_beside_all = (both + size).fits_in(case_.host);
      if (!(is_spot ? fits_beside_all : (vms + size).fits_in(case_.host))) continue;
      const int tier = !is_spot && case_.saf && !fits_beside_all ? 1 : 0;
      all.emplace_back(tier, -std::int64_t{is_spot ? both.vcpus : vms.vcpus}, host);
    }
    std::ranges::sort(all);
    std::vector<std::size_t> hosts;
    for (const auto& [tier, weight, host] : all) hosts.push_back(host);
    return hosts;
  }

  Decision decide(Scheduler& scheduler, InstanceIndex instance) {
    std::vector<std::size_t> hosts = ranked(scheduler.view, instance);
    std::erase_if(hosts, [&](std::size_t host) {
      return std::ranges::find(scheduler.declined, host) != scheduler.declined.end();
    });
    const std::size_t subset = std::min(settings_.host_subset_size, hosts.size());
    if (subset > 1) {
      const std::size_t drawn = hosts[scheduler.random.below(subset)];
      std::erase(hosts, drawn);
      hosts.insert(hosts.begin(), drawn);
    }
    if (hosts.empty()) return {};
    if (row(instance).is_spot()) return {.host = hosts[0]};
    hosts.resize(std::min(hosts.size(), case_.otn));
    std::optional<std::size_t> best, fewest;
    for (const std::size_t host : hosts) {
      const auto go = oldest_to_go(scheduler.view[host], row(instance).resources, case_.host);
      if (!go || (fewest && *go >= *fewest)) continue;
      best = host;
      fewest = go;
    }
    Decision decision{.host = best};
    for (std::size_t i = 0; best && i < *fewest; ++i) {
      decision.victims.push_back(scheduler.view[*best].spots[i].row);
    }
    return decision;
  }

  void end_decision(std::size_t number) {
    Scheduler& scheduler = schedulers_[number];
    const InstanceIndex instance = *scheduler.deciding;
    if (is_over(instance)) {
      withdraw(instance);
      scheduler.deciding.reset();
      return take_next(number);
    }
    for (;;) {
      const Decision decision = decide(scheduler, instance);
      if (!decision.host) {
        lose_without_host(scheduler, instance);
        break;
      }
      ++outcome(instance).commits;
      const std::size_t host = *decision.host;
      const bool is_done = commit(scheduler, instance, decision);
      scheduler.view[host] = truth_[host];
      if (is_done) break;
      ++outcome(instance).conflicts;
      result_.evictions_averted += decision.victims.size();
      if (scheduler.retries == settings_.retries) {
        ++outcome(instance).lost_to_conflicts;
        lost(instance, &ClassOutcome::revenue_lost_to_conflicts);
        break;
      }
      ++scheduler.retries;
      ++result_.retries;
      if (settings_.retry == RetryRule::kAlternates) {
        scheduler.declined.push_back(host);
        continue;
      }
      scheduler.view = truth_;
      begin(scheduler);
      if (settings_.decision_time != SimTime{0}) return;
    }
    scheduler.deciding.reset();
    take_next(number);
  }

  bool commit(const Scheduler& scheduler, InstanceIndex instance, const Decision& decision) {
    const std::size_t number = *decision.host;
    Host& host = truth_[number];
    const ResourceVector size = row(instance).resources;
    const bool is_current = host.version == scheduler.view[number].version;
    if (!is_current && settings_.commit == CommitRule::kGeneration) return false;
    const auto go = oldest_to_go(host, size, case_.host);
    if (!go || (row(instance).is_spot() && *go > 0)) return false;
    std::vector<InstanceIndex> gone;
    while (gone.size() < *go) gone.push_back(evict_oldest(number));
    for (const InstanceIndex named : decision.victims) {
      if (std::ranges::find(gone, named) == gone.end()) ++result_.evictions_averted;
    }
    (row(instance).is_spot() ? host.spots : host.vms).push_back({.row = instance, .size = size});
    events_.push_back({now_, EventKind::kPlaced, instance, static_cast<HostIndex>(number)});
    changed(number);
    ClassOutcome& of = outcome(instance);
    ++of.placed;
    of.revenue_lost_to_delay += revenue(instance, row(instance).start, now_);
    delays_.push_back(now_ - row(instance).start);
    return true;
  }

  InstanceIndex evict_oldest(std::size_t host) {
    const InstanceIndex victim = truth_[host].spots.front().row;
    truth_[host].spots.erase(truth_[host].spots.begin());
    events_.push_back({now_, EventKind::kEvicted, victim, static_cast<HostIndex>(host)});
    ++result_.evictions;
    result_.spot.revenue_lost_to_evictions += revenue(victim, now_, row(victim).end);
    changed(host);
    return victim;
  }

  void lose_without_host(const Scheduler& scheduler, InstanceIndex instance) {
    ClassOutcome& of = outcome(instance);
    if (!scheduler.declined.empty()) {
      ++of.lost_to_conflicts;
      lost(instance, &ClassOutcome::revenue_lost_to_conflicts);
    } else if (!ranked(truth_, instance).empty()) {
      ++of.rejected_on_stale;
      lost(instance, &ClassOutcome::revenue_lost_to_stale);
    } else {
      ++of.rejected;
      lost(instance, &ClassOutcome::revenue_lost_to_room);
    }
  }

  void withdraw(InstanceIndex instance) {
    ++outcome(instance).withdrawn;
    lost(instance, &ClassOutcome::revenue_lost_to_delay);
  }

  void lost(InstanceIndex instance, Revenue ClassOutcome::*to) {
    outcome(instance).*to += revenue(instance, row(instance).start, row(instance).end);
    events_.push_back({row(instance).start, EventKind::kRejected, instance, kNoHost});
  }

  void finish_delays() {
    std::int64_t all = 0;
    for (const SimTime delay : delays_) {
      all += delay.count();
      result_.longest_delay_ms =
          std::max(result_.longest_delay_ms, static_cast<double>(delay.count()) / 1000);
    }
    if (delays_.empty()) return;
    result_.mean_delay_ms = static_cast<double>(all) / static_cast<double>(delays_.size()) / 1000;
  }

  const Workload& workload_;
  const SchedulersCase& case_;
  const SchedulerSettings& settings_;
  SimTime now_{0};
  State truth_;
  std::vector<std::pair<SimTime, State>> history_;
  std::vector<Scheduler> schedulers_;
  std::size_t dealt_ = 0, begins_ = 0;
  std::vector<SimTime> delays_;
  std::vector<Event> events_;
  SchedulerResult result_;
};

}  // namespace

SchedulersOutcome simulate_schedulers(const Workload& workload, const SchedulersCase& settings) {
  return Schedulers(workload, settings).run();
}

}  // namespace cospot::reference
