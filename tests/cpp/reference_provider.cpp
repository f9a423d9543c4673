#include "tests/cpp/reference_provider.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>

#include "core/random.hpp"
#include "filters/lifetime_sla_filter.hpp"
#include "sim_harness/provider/forecasts/lifetime_forecast.hpp"
#include "tests/cpp/reference_policies.hpp"

namespace cospot::reference {
namespace {

/// What is to be done, in this order at equal times.
enum Kind {
  kDepart,
  kBack,
  kDrain,
  kDown,
  kTold,
  kEvacuate,
  kMigrate,
  kResizeVm,
  kAgain,
  kDecide,
  kArrive
};

struct Item {
  InstanceIndex id = 0;
  ResourceVector size{};
  SimTime end{0};
  SimTime promised_until = kNoPromisedEnd;
};
using Items = std::vector<Item>;

/// Items in the order in which they came. The version counts changes.
struct Host {
  Items items{};
  int outs = 0;  ///< for how many reasons it takes nobody
  std::size_t version = 0;
};
using State = std::vector<Host>;

struct Choice {
  std::optional<HostIndex> host{};
  std::vector<InstanceIndex> victims{};
};

ResourceVector sum(const Items& items) {
  ResourceVector all;
  for (const Item& item : items) all += item.size;
  return all;
}

/// What a request is, wherever it is looked at.
struct Wish {
  InstanceIndex id = 0;
  ResourceVector size{};
  SimTime now{0};    ///< when it is decided about
  SimTime asked{0};  ///< the lifetime it asks for; 0: none
};

/// Which host somebody gets in a state of the datacenter.
class Placing {
 public:
  Placing(const Workload& workload, const ProviderCase& one) : workload_(workload), case_(one) {}

  std::size_t level(InstanceIndex id) const {
    if (!case_.level_of.empty()) return case_.level_of[id];
    return workload_.rows[id].is_spot() ? 1 : 0;
  }
  bool is_lowest(InstanceIndex id) const { return level(id) + 1 == case_.levels; }
  Items between(const Items& items, std::size_t first, std::size_t last) const {
    Items chosen;
    for (const Item& item : items) {
      if (level(item.id) >= first && level(item.id) <= last) chosen.push_back(item);
    }
    return chosen;
  }
  bool fits(const Wish& wish, HostIndex host, const Items& beside) const {
    return wish.size.fits_in(case_.hosts[host].total - sum(beside));
  }

  int members(const State& state, std::uint32_t group, std::optional<HostIndex> on) const {
    int count = 0;
    for (HostIndex host = 0; host < state.size(); ++host) {
      if (on && *on != host) continue;
      for (const Item& item : state[host].items) {
        const std::uint32_t asked = workload_.rows[item.id].placement;
        if (asked != 0 && workload_.placements.asked[asked - 1].group == group) ++count;
      }
    }
    return count;
  }
  /// What the request asks beside room; extra specs are compared as texts here.
  bool may_be_on(const State& state, InstanceIndex id, HostIndex host) const {
    const auto& metadata = case_.hosts[host].metadata;
    const auto has = [&metadata](const std::string& key, const std::string& value) {
      return metadata.contains(key) && metadata.at(key).contains(value);
    };
    const std::string kept_for = "filter_tenant_id";
    if (metadata.contains(kept_for) && !has(kept_for, workload_.rows[id].tenant)) return false;
    if (workload_.rows[id].placement == 0) return true;
    const RowPlacement& asked = workload_.placements.asked[workload_.rows[id].placement - 1];
    if (!asked.rules.zone.empty() && asked.rules.zone != case_.hosts[host].zone) return false;
    for (const auto& [key, value] : asked.rules.extra_specs) {
      if (!has(key, value)) return false;
    }
    if (asked.group == RowPlacement::kNoGroup) return true;
    const ServerGroup& group = workload_.placements.groups[asked.group];
    const int here = members(state, asked.group, host);
    if (group.policy == GroupPolicy::kAntiAffinity) return here < group.max_server_per_host;
    if (group.policy != GroupPolicy::kAffinity) return true;
    return here > 0 || members(state, asked.group, {}) == 0;
  }
  bool has_group(InstanceIndex id) const {
    const std::uint32_t asked = workload_.rows[id].placement;
    return asked != 0 && workload_.placements.asked[asked - 1].group != RowPlacement::kNoGroup;
  }

  /// What several forecasts say of a request; nothing passes where it says no.
  bool is_promised(const State& state, const Wish& wish, const LifetimeForecast* sla) const {
    if (sla == nullptr || !is_lowest(wish.id) || wish.asked <= SimTime{0}) return true;
    if (!sla->quantiles().is_known()) return false;
    std::int64_t slots = 0;
    for (HostIndex host = 0; host < state.size(); ++host) {
      const ResourceVector none{};
      const ResourceVector free = case_.hosts[host].total - sum(state[host].items);
      slots += slots_of(wish.size, state[host].outs > 0 ? none : free);
    }
    return wish.asked <= sla->quantiles().promised(wish.size, slots, case_.sla_target);
  }

  /// How many VMs of the reserve a host has free capacity for, when these are gone.
  std::int64_t reserve_vms(const State& state, HostIndex host,
                           const std::set<InstanceIndex>& gone = {},
                           const ResourceVector& beside = {}) const {
    if (state[host].outs > 0) return 0;
    Items left = state[host].items;
    std::erase_if(left, [&](const Item& item) { return gone.contains(item.id); });
    const ResourceVector free = case_.hosts[host].total - sum(left) - beside;
    std::int64_t vms = 0;
    for (ResourceVector all = case_.reserve.reserved.size; all.fits_in(free); ++vms) {
      all += case_.reserve.reserved.size;
    }
    return vms;
  }
  std::int64_t reserve_lacks(const State& state, const std::set<InstanceIndex>& gone = {}) const {
    std::int64_t all = 0;
    for (HostIndex host = 0; host < state.size(); ++host) all += reserve_vms(state, host, gone);
    return std::max<std::int64_t>(case_.reserve.reserved.count - all, 0);
  }
  bool keeps_out(const State& state, const Wish& spot, HostIndex host) const {
    const std::int64_t takes = reserve_vms(state, host) - reserve_vms(state, host, {}, spot.size);
    std::int64_t left = -takes;
    for (HostIndex other = 0; other < state.size(); ++other) left += reserve_vms(state, other);
    if (takes > 0 && left < case_.reserve.reserved.count) return true;
    // Nor may it take what notices free: beside VMs alone one more VM would fit here.
    std::set<InstanceIndex> others;
    for (const Item& item : state[host].items) {
      if (level(item.id) > 0) others.insert(item.id);
    }
    return reserve_lacks(state) > 0 && reserve_vms(state, host, others) > reserve_vms(state, host);
  }
  bool has_reserve() const { return case_.reserve.reserved.count > 0; }

  /// Feasible hosts, best first.
  std::vector<HostIndex> rank(const State& state, const Wish& wish) const {
    const bool lowest = is_lowest(wish.id);
    const Policy policy = lowest ? parse_spot_policy(case_.spot) : parse_vm_policy(case_.vm);
    std::vector<std::tuple<int, int, double, HostIndex>> ranked;
    for (HostIndex host = 0; host < state.size(); ++host) {
      const Items& all = state[host].items;
      const Items fixed = lowest ? all : between(all, 0, level(wish.id));
      if (state[host].outs > 0 || !fits(wish, host, fixed)) continue;
      if (!may_be_on(state, wish.id, host)) continue;
      if (lowest && has_reserve() && keeps_out(state, wish, host)) continue;
      const Items seen = policy.counts_spots ? all : fixed;
      int tier = 0;
      if (policy.avoids_vms) {
        tier = between(all, 0, 0).empty() ? 0 : 1;
      } else if (policy.formula == "COS" || policy.formula == "DPD") {
        tier = seen.empty() ? 1 : 0;
      }
      const bool evicts = case_.saf && !lowest && !fits(wish, host, all);
      const ResourceVector& total = case_.hosts[host].total;
      ranked.emplace_back(evicts ? 1 : 0, tier, -weight(wish, policy, sum(seen), total), host);
    }
    std::sort(ranked.begin(), ranked.end());
    std::vector<HostIndex> hosts;
    for (const auto& each : ranked) hosts.push_back(std::get<3>(each));
    return hosts;
  }

  std::size_t offered(const State& state) const {
    if (!case_.adaptive) return case_.otn;
    ResourceVector all, used;
    for (HostIndex host = 0; host < state.size(); ++host) {
      const ResourceVector& total = case_.hosts[host].total;
      all += total;
      used += state[host].outs > 0 ? total : sum(between(state[host].items, 0, 0));
    }
    double load = std::max(static_cast<double>(used.vcpus) / all.vcpus,
                           static_cast<double>(used.memory_mb) / all.memory_mb);
    if (all.disk_gb > 0) load = std::max(load, static_cast<double>(used.disk_gb) / all.disk_gb);
    const AdaptiveOffer& offer = *case_.adaptive;
    const double part = std::clamp((load - offer.from) / (offer.to - offer.from), 0.0, 1.0);
    const auto low = static_cast<double>(offer.at_low_load);
    const auto high = static_cast<double>(offer.at_high_load);
    return static_cast<std::size_t>(std::floor(low + (high - low) * part + 0.5));
  }

  /// The answer to the first hosts of a ranking.
  Choice choose(const State& state, const Wish& wish, std::vector<HostIndex> ranked) const {
    if (ranked.empty()) return {};
    if (is_lowest(wish.id)) return {.host = ranked[0]};
    ranked.resize(std::min(ranked.size(), offered(state)));
    Choice best;
    std::vector<Revenue> best_scores;
    for (const HostIndex host : ranked) {
      const Taken victims = evictions(wish, host, state[host].items);
      if (!victims.possible || (best.host && victims.scores >= best_scores)) continue;
      best = {.host = host, .victims = victims.instances};
      best_scores = victims.scores;
    }
    return best;
  }

 protected:
  struct Taken {
    bool possible = false;
    std::vector<InstanceIndex> instances{};  ///< of each level in order of placement
    std::vector<Revenue> scores{};           ///< of each level, the highest first
  };

  static double weight(const Wish& wish, const Policy& policy, const ResourceVector& used,
                       const ResourceVector& total) {
    if (policy.formula == "UTIL") return used.vcpus - total.vcpus;
    if (policy.formula == "COS") return cosine_score(wish.size, total - used);
    if (policy.formula != "DPD") return 0;
    return static_cast<double>(diagonal_gain(wish.size, used, total)) /
           (static_cast<double>(total.vcpus) * total.memory_mb);
  }

  /// For each lower level in order, in it for those that are promised to live on before the others,
  /// as if everything below them were gone.
  Taken evictions(const Wish& wish, HostIndex host, const Items& items) const {
    Taken all{.possible = true};
    Items left = items;
    for (std::size_t rank = 2 * (level(wish.id) + 1); rank < 2 * case_.levels; ++rank) {
      const std::size_t lower = rank / 2;
      Items kept = between(left, 0, lower - 1), candidates;
      for (const Item& item : between(left, lower, lower)) {
        const bool is_promised = item.promised_until > wish.now;
        if (is_promised == (rank % 2 == 0)) {
          candidates.push_back(item);
        } else if (is_promised) {
          kept.push_back(item);
        }
      }
      const Taken of = take(wish, host, kept, candidates);
      all.possible = all.possible && of.possible;
      all.scores.push_back(of.scores[0]);
      for (const InstanceIndex id : of.instances) {
        all.instances.push_back(id);
        std::erase_if(left, [id](const Item& item) { return item.id == id; });
      }
    }
    return all;
  }

  /// For one more VM of the reserve on a host: who goes, those without a promise first.
  Taken for_reserve(const State& state, HostIndex host, const std::set<InstanceIndex>& gone,
                    const Items& candidates, SimTime now) const {
    Wish vms{.now = now};
    for (std::int64_t i = 0; i <= reserve_vms(state, host, gone); ++i) {
      vms.size += case_.reserve.reserved.size;
    }
    Items kept, promised, others;
    for (const Item& item : state[host].items) {
      const bool is_candidate = std::ranges::any_of(
          candidates, [&](const Item& candidate) { return candidate.id == item.id; });
      if (!is_candidate && !gone.contains(item.id)) kept.push_back(item);
    }
    for (const Item& item : candidates) {
      (item.promised_until > now ? promised : others).push_back(item);
    }
    const Taken first = take(vms, host, kept, promised);
    if (!first.possible) return first;
    for (const Item& item : promised) {
      if (std::ranges::find(first.instances, item.id) == first.instances.end()) {
        kept.push_back(item);
      }
    }
    Taken all = take(vms, host, kept, others);
    all.instances.insert(all.instances.end(), first.instances.begin(), first.instances.end());
    return all;
  }

  /// Which of `candidates` go so that the request fits beside `kept` and the others.
  Taken take(const Wish& wish, HostIndex host, const Items& kept, const Items& candidates) const {
    std::optional<std::tuple<Revenue, std::size_t, std::vector<std::size_t>>> best;
    const bool is_lpo = case_.evictor == "LPO" && wish.now >= 3 * kDay;
    std::vector<std::vector<std::size_t>> subsets;  // to try in order
    const std::size_t n = candidates.size();
    for (std::size_t subset = 0; subset < (is_lpo ? std::size_t{1} << n : n + 1); ++subset) {
      std::vector<std::size_t> gone;
      for (std::size_t i = 0; i < n; ++i) {
        const bool oldest = i < subset, youngest = i >= n - subset;
        const bool in_order = case_.evictor == "YJF" ? youngest : oldest;
        if (is_lpo ? (subset >> i & 1) != 0 : in_order) gone.push_back(i);
      }
      subsets.push_back(gone);
    }
    for (const std::vector<std::size_t>& gone : subsets) {
      Items beside = kept;
      Revenue loss = 0;
      for (std::size_t i = 0; i < n; ++i) {
        if (std::find(gone.begin(), gone.end(), i) == gone.end()) {
          beside.push_back(candidates[i]);
          continue;
        }
        const SimTime counted_to = std::max(90 * kDay, wish.now + 30 * kDay);
        const SimTime life = std::min(candidates[i].end, counted_to) - wish.now;
        loss += Revenue{candidates[i].size.vcpus} * std::max(life, SimTime{1}).count();
      }
      if (!fits(wish, host, beside)) continue;
      const Revenue score = is_lpo ? loss : static_cast<Revenue>(gone.size());
      const auto rank = std::tuple(score, gone.size(), gone);
      if (!best || rank < *best) best = rank;
    }
    Taken taken{.possible = best.has_value(), .scores = {0}};
    if (!best) return taken;
    taken.scores = {std::get<0>(*best)};
    for (const std::size_t i : std::get<2>(*best)) taken.instances.push_back(candidates[i].id);
    return taken;
  }

  const Workload& workload_;
  const ProviderCase& case_;
};

class Simulator : Placing {
 public:
  Simulator(const Workload& workload, const ProviderCase& one)
      : Placing(workload, one), plan_(one.plan), truth_(one.hosts.size()) {
    out_.levels.resize(one.levels);
    out_.first_host_of.assign(workload.rows.size(), kNoHost);
    for (InstanceIndex id = 0; id < workload.rows.size(); ++id) {
      all_.push_back({.id = id, .size = workload.rows[id].resources});
    }
    if (!one.schedulers.empty()) {
      settings_ = &one.schedulers.front();
      Random seeds(settings_->seed);
      for (std::size_t i = 0; i < settings_->schedulers; ++i) {
        schedulers_.push_back({.view = truth_, .random = Random(seeds.next_u64())});
      }
    }
    if (one.has_sla) make_forecast();
  }

  ProviderOutcome run() {
    for (const InstanceIndex id : arrival_order(workload_)) {
      One& one = all_[id];
      const WorkloadRow& row = workload_.rows[id];
      one.arrived = true;
      one.end = row.end;
      one.would_earn = worth(one.size.vcpus, row.start, row.end);
      add(row.start, kArrive, id, id);
      ++out_.levels[level(id)].requests;
      out_.levels[level(id)].revenue_requested += one.would_earn;
    }
    plan_ahead();
    count_lack(SimTime::min());
    while (!todo_.empty()) {
      const auto [key, subject] = *todo_.begin();
      todo_.erase(todo_.begin());
      now_ = std::get<0>(key);
      while (forecast_ && forecast_->next_refresh() <= now_) forecast_->refresh();
      act(std::get<1>(key), subject);
      const bool is_last = todo_.empty() || std::get<0>(todo_.begin()->first) > now_;
      if (has_reserve() && is_last && now_ < workload_.window) keep_reserve();
    }
    count_lack(workload_.window);
    for (const One& one : all_) settle(one);
    settle_run();
    return out_;
  }

 private:
  using Key = std::tuple<SimTime, int, std::int64_t>;

  /// A time on a host, at the beginning of which a state may be restored.
  struct Stay {
    SimTime from{0}, works{0}, to = kNever, would_end = kNever;
    bool is_undone = false;  ///< its work is done anew
  };
  /// Somebody who is or wants to be on a host.
  struct One {
    InstanceIndex id = 0;
    ResourceVector size{};
    std::optional<HostIndex> host{};
    SimTime placed{0}, end{0};
    bool arrived = false, waits = false, ran = false, ended = false;
    std::optional<SimTime> left{};  ///< nothing: for ever
    SimTime asked{0}, wait{0};
    SimTime promised_until = kNoPromisedEnd;
    Revenue would_earn = 0;  ///< without a host: what it would, had it one
    LossCause cause = LossCause::kRoom;
    std::vector<Stay> stays{};  ///< of a spot, all of them
    bool is_evicted = false, is_back = false;
  };
  struct Asked {
    InstanceIndex id = 0;
    int why = kArrive;
    SimTime since{0};
  };
  struct Scheduler {
    State view;
    Random random;
    std::deque<Asked> queue{};
    std::optional<Asked> deciding{};
    SimTime begun{0};
    std::size_t retries = 0;
    std::vector<HostIndex> declined{};
  };

  void make_forecast() {
    std::map<std::string, PluginOptions::Value> options{
        {"target", case_.sla_target},
        {"refresh_hours", 12.0},
        {"samples", 40.0},
        {"asked_factor", case_.sla_asked_factor},
        {"asking_percent", case_.sla_asking_percent}};
    schedule_ = make_schedule(workload_);
    std::vector<ResourceVector> totals;
    for (const HostSettings& host : case_.hosts) totals.push_back(host.total);
    forecast_ = std::make_unique<LifetimeForecast>(
        schedule_, totals, read_lifetime_sla_options(PluginOptions("LifetimeSla", options)));
  }

  void add(SimTime time, Kind kind, std::int64_t order, std::uint32_t subject) {
    const bool ever = kind == kDepart || kind == kDecide || kind == kArrive;
    if (ever || time < workload_.window) todo_.emplace(Key(time, kind, order), subject);
  }
  void plan_ahead() {
    std::map<InstanceIndex, ResourceAmount> last;
    for (std::uint32_t i = 0; i < plan_.resizes.size(); ++i) {
      const Resize& resize = plan_.resizes[i];
      add(resize.time, kResizeVm, i, i);
      last.try_emplace(resize.instance, all_[resize.instance].size.vcpus);
      const Revenue more = worth(resize.size.vcpus - last[resize.instance], resize.time,
                                 workload_.rows[resize.instance].end);
      out_.levels[0].revenue_requested += more;
      lose(0, LossCause::kRoom, more);  // until it is granted
      last[resize.instance] = resize.size.vcpus;
    }
    for (std::uint32_t i = 0; i < plan_.outages.size(); ++i) {
      const Outage& outage = plan_.outages[i];
      add(outage.notice, kDrain, i, i);
      add(outage.start, kDown, i, i);
      add(outage.end, kBack, i, i);
    }
  }

  Revenue worth(ResourceAmount vcpus, SimTime from, SimTime to) const {
    from = std::max(from, SimTime{0});
    to = std::min(to, workload_.window);
    return from < to ? Revenue{vcpus} * (to - from).count() : Revenue{0};
  }
  void lose(std::size_t level, LossCause cause, Revenue amount) {
    out_.levels[level].revenue_lost[static_cast<std::size_t>(cause)] += amount;
  }

  void log(const char* event, const One& one, std::optional<HostIndex> host) {
    out_.events.push_back(
        event_line(now_, event, one.id, host ? static_cast<std::int64_t>(*host) : -1, one.size));
  }
  void log_host(const char* event, HostIndex host) {
    out_.events.push_back(event_line(now_, event, -1, host));
  }

  // The hosts, of which schedulers learn later.

  void changed(HostIndex host) {
    ++truth_[host].version;
    if (settings_ != nullptr) history_.emplace_back(now_, truth_);
  }
  void put(One& one, HostIndex host) {
    one.host = host;
    truth_[host].items.push_back(
        {.id = one.id, .size = one.size, .end = one.end, .promised_until = one.promised_until});
    changed(host);
  }
  void take(One& one) {
    const HostIndex host = *one.host;
    std::erase_if(truth_[host].items, [&](const Item& item) { return item.id == one.id; });
    std::erase_if(told_, [&](const Told& told) { return told.id == one.id; });
    one.host.reset();
    changed(host);
  }
  Wish wish_of(const One& one, SimTime now) const {
    Wish wish{.id = one.id, .size = one.size, .now = now};
    if (forecast_ && is_lowest(one.id))
      wish.asked = forecast_->asked_lifetime(request(one), one.end);
    return wish;
  }
  Request request(const One& one) const {
    return {.vcpus = one.size.vcpus,
            .memory_mb = one.size.memory_mb,
            .disk_gb = one.size.disk_gb,
            .instance_class = is_lowest(one.id) ? InstanceClass::kSpot : InstanceClass::kVm,
            .instance = one.id,
            .time = now_,
            .promised_until = one.promised_until};
  }
  std::vector<HostIndex> feasible(const State& state, const Wish& wish) const {
    if (!is_promised(state, wish, forecast_.get())) return {};
    if (level(wish.id) == 1 && case_.promised_vcpus >= 0) {
      // The promise is counted where it is kept: in the datacenter.
      std::int64_t used = wish.size.vcpus;
      for (const Host& host : truth_) used += sum(between(host.items, 1, 1)).vcpus;
      if (used > case_.promised_vcpus) return {};
    }
    return rank(state, wish);
  }
  Choice decide_now(const One& one) {
    const Wish wish = wish_of(one, now_);
    return choose(truth_, wish, feasible(truth_, wish));
  }

  // What is due.

  void act(int kind, std::uint32_t subject) {
    if (kind == kTold) return end_notices();
    if (kind == kArrive) return ask({.id = subject, .why = kArrive, .since = now_});
    if (kind == kDecide) return end_decision(subject);
    if (kind == kBack || kind == kDrain || kind == kDown)
      return act_on(plan_.outages[subject], kind);
    if (kind == kResizeVm) return resize(plan_.resizes[subject]);
    One& one = all_[subject];
    if (kind == kDepart && one.host && one.end == now_) return leave(one);
    if (kind == kEvacuate) return ask({.id = subject, .why = kEvacuate, .since = now_});
    if (kind == kMigrate) return migrate(one);
    if (kind == kAgain) {
      if (!one.ran) ++(level(one.id) > 0 ? out_.life.spot_retries : out_.life.vm_retries);
      one.end = one.left ? now_ + *one.left : kNever;
      if (plan_.ends_stay) one.end = workload_.rows[one.id].end;
      ask({.id = subject, .why = kAgain, .since = now_});
    }
  }

  void ask(const Asked& asked) {
    One& one = all_[asked.id];
    one.waits = false;
    log("asked", one, {});
    if (settings_ == nullptr) {
      const Choice choice = decide_now(one);
      const bool had_run = one.ran;
      if (choice.host) {
        evict(choice, *choice.host);
        start(one, *choice.host);
      } else {
        reject(one, LossCause::kRoom);
      }
      return answered(asked, had_run, choice.host.has_value());
    }
    std::size_t turn = asks_++;
    if (settings_->deal == DealRule::kByTenant) {
      std::vector<std::string> tenants;
      for (const WorkloadRow& row : workload_.rows) {
        if (std::ranges::find(tenants, row.tenant) == tenants.end()) tenants.push_back(row.tenant);
      }
      const auto found = std::ranges::find(tenants, workload_.rows[asked.id].tenant);
      turn = static_cast<std::size_t>(found - tenants.begin());
    }
    schedulers_[turn % schedulers_.size()].queue.push_back(asked);
    take_next(turn % schedulers_.size());
    if (one.host && one.end == now_) leave(one);
  }

  void answered(const Asked& asked, bool had_run, bool is_placed) {
    One& one = all_[asked.id];
    LifeResult& counts = out_.life;
    const bool is_spot = level(one.id) > 0;
    if (!is_placed) {
      if (asked.why != kAgain) return stand_by(one);
      // Factors of the tests have at most 6 decimals; a wait is far from overflowing with them.
      const std::int64_t millionths = std::llround(rule(one).factor.number() * 1e6);
      const std::int64_t longer = one.wait.count() / 1'000'000 * millionths +
                                  one.wait.count() % 1'000'000 * millionths / 1'000'000;
      one.wait = std::min(SimTime(longer), rule(one).longest_wait);
      return look_ahead(one);
    }
    if (asked.why == kEvacuate) ++counts.vms_evacuated;
    if (asked.why != kAgain) return;
    if (had_run) {
      ++(is_spot ? counts.spots_returned : counts.vms_restarted);
    } else {
      ++(is_spot ? counts.spots_late : counts.vms_late);
      (is_spot ? counts.spot_wait : counts.vm_wait) += now_ - one.asked;
    }
  }

  void start(One& one, HostIndex host) {
    const Revenue earns = worth(one.size.vcpus, now_, one.end);
    lose(level(one.id), one.ran ? one.cause : LossCause::kDelay, one.would_earn - earns);
    if (!one.ran) out_.first_host_of[one.id] = host;
    one.placed = now_;
    one.ran = true;
    one.is_back = one.is_evicted;
    one.stays.push_back({.from = now_, .works = now_ + restoring(one), .would_end = one.end});
    one.promised_until = kNoPromisedEnd;
    if (const Wish wish = wish_of(one, now_);
        wish.asked > SimTime{0} && forecast_->quantiles().is_known()) {
      one.promised_until = now_ + wish.asked;
      ++out_.promises;
    }
    put(one, host);
    log("placed", one, host);
    if (forecast_) forecast_->placed(request(one), host);
    if (one.end == now_) {
      if (settings_ == nullptr) leave(one);
    } else if (one.end != kNever) {
      add(one.end, kDepart, one.id, one.id);
    }
  }
  void leave(One& one) {
    const HostIndex host = *one.host;
    one.stays.back().to = now_;
    log("ended", one, host);
    take(one);
    one.ended = true;
    if (forecast_) forecast_->departed(one.id, host, now_);
  }
  void reject(One& one, LossCause cause) {
    if (!one.ran) one.cause = cause;
    log("rejected", one, {});
  }
  /// It has lost its host.
  void stop(One& one, LossCause cause) {
    one.would_earn = worth(one.size.vcpus, now_, one.end);
    one.cause = cause;
    if (level(one.id) > 0) end_stay(one, cause);
    if (is_lowest(one.id) && now_ < one.placed + std::chrono::hours(1)) {
      free_ += worth(one.size.vcpus, one.placed, now_);
    }
    take(one);
  }
  /// In the order in which they came.
  void evict(const Choice& choice, HostIndex host, bool for_reserve = false) {
    for (const Item& item : Items(truth_[host].items)) {
      const InstanceIndex id = item.id;
      if (std::ranges::find(choice.victims, id) == choice.victims.end()) continue;
      One& victim = all_[id];
      ++out_.levels[level(id)].evictions;
      if (is_lowest(id)) {
        ++out_.schedulers.evictions;
        count_notice(id, for_reserve);
      }
      if (item.promised_until > now_) ++out_.promises_broken;
      log("evicted", victim, host);
      stop(victim, LossCause::kEviction);
      if (forecast_) {
        Request at;
        at.time = now_;
        forecast_->evicted(id, host, at);
      }
      stand_by(victim);
    }
  }

  const Backoff& rule(const One& one) const {
    return level(one.id) > 0 && one.ran ? plan_.returning_spots : plan_.retries;
  }
  void stand_by(One& one) {
    one.left.reset();
    if (one.end != kNever) one.left = one.end - now_;
    if (level(one.id) > 0 && one.ran && has_rule(OnEviction::kMove, OnEviction::kRestart)) {
      one.left = work_left(one);
      if (one.left) *one.left += restoring(one);
    }
    one.asked = now_;
    one.wait = std::min(rule(one).first_wait, rule(one).longest_wait);
    look_ahead(one, saving(one));
  }

  // The work of spots, told by all of their stays.

  bool has_rule(OnEviction one, OnEviction other) const {
    const auto& has = plan_.on_eviction;
    return has && (has->what == one || has->what == other);
  }
  /// `rate`: MB/s.
  SimTime transfer(const One& one, double rate) const {
    const StateSize& state = plan_.on_eviction->state;
    const double mb = one.size.memory_mb * (state.percent / 100) + state.fixed_mb;
    return SimTime(std::llround(mb / rate * 1e6));
  }
  void end_stay(One& one, LossCause cause) {
    one.stays.back().to = now_;
    if (cause == LossCause::kEviction) one.is_evicted = true;
    const bool fails = cause != LossCause::kEviction;
    if (!has_rule(OnEviction::kRestart, fails ? OnEviction::kMove : OnEviction::kRestart)) return;
    for (Stay& stay : one.stays) stay.is_undone = true;
  }
  /// The last stay of work that still counts, if its state can be restored.
  const Stay* last_work(const One& one) const {
    if (level(one.id) == 0 || !has_rule(OnEviction::kMove, OnEviction::kMove)) return nullptr;
    for (std::size_t i = one.stays.size(); i-- > 0 && !one.stays[i].is_undone;) {
      if (one.stays[i].to > one.stays[i].works) return &one.stays[i];
    }
    return nullptr;
  }
  SimTime restoring(const One& one) const {
    return last_work(one) == nullptr ? SimTime{0}
                                     : transfer(one, plan_.on_eviction->bandwidth.restore_mb_s);
  }
  /// Only what was worked on in the stay that has just ended is not saved yet.
  SimTime saving(const One& one) const {
    const bool has_worked = !one.stays.empty() && last_work(one) == &one.stays.back();
    return has_worked ? transfer(one, plan_.on_eviction->bandwidth.save_mb_s) : SimTime{0};
  }
  /// Nothing: it never ends.
  std::optional<SimTime> work_left(const One& one) const {
    if (one.end == kNever) return {};
    const Stay* last = last_work(one);
    if (last != nullptr) return last->would_end - last->to;
    const Stay& now = one.stays.back();
    const WorkloadRow& row = workload_.rows[one.id];
    return now.is_undone ? row.end - row.start : one.end - now_;
  }
  void look_ahead(One& one, SimTime at_least = SimTime{0}) {
    const Backoff& how = rule(one);
    const bool may = how.patience > SimTime{0} && (level(one.id) > 0 ? how.spots : how.vms);
    const SimTime next = now_ + std::max(one.wait, at_least);
    const bool too_late = plan_.ends_stay && workload_.rows[one.id].end <= next;
    if (may && next - one.asked <= how.patience && !too_late) {
      one.waits = true;
      return add(next, kAgain, one.id, one.id);
    }
    one.waits = false;
    if (may) log("gave up", one, {});
  }

  // The reserve: who is told to go, in the order in which they were told.

  struct Told {
    InstanceIndex id = 0;
    HostIndex host = 0;
    SimTime at{0};
  };
  std::set<InstanceIndex> told_but(std::optional<InstanceIndex> one = {}) const {
    std::set<InstanceIndex> ids;
    for (const Told& told : told_) {
      if (told.id != one) ids.insert(told.id);
    }
    return ids;
  }
  void count_notice(InstanceIndex id, bool for_reserve) {
    NoticeResult& counts = out_.notices;
    ++counts.evictions;
    if (for_reserve) ++counts.evictions_for_reserve;
    for (const Told& told : told_) {
      if (told.id != id || told.at == now_) continue;
      counts.lengths.push_back(now_ - told.at);
      const bool is_full = now_ == told.at + case_.reserve.notice;
      ++(is_full ? counts.evictions_with_full_notice : counts.evictions_with_short_notice);
    }
  }
  void count_lack(SimTime now) {
    const SimTime from = std::max(kept_at_, SimTime{0});
    if (lacks_ && now > from) out_.notices.lacking += std::min(now, workload_.window) - from;
    kept_at_ = now;
    lacks_ = has_reserve() && reserve_lacks(truth_) > 0;
  }
  void withdraw_notices() {
    const auto withdraw = [&](const Told& told) {
      log("untold", all_[told.id], told.host);
      ++out_.notices.withdrawn;
      std::erase_if(told_, [&](const Told& other) { return other.id == told.id; });
    };
    for (const Told& told : std::vector<Told>(told_)) {
      if (truth_[told.host].outs > 0) withdraw(told);
    }
    std::vector<Told> last_first(told_.rbegin(), told_.rend());
    for (const Told& told : last_first) {
      if (reserve_lacks(truth_, told_but(told.id)) == 0) withdraw(told);
    }
  }
  void keep_reserve() {
    withdraw_notices();
    std::size_t before = told_.size();
    while (reserve_lacks(truth_, told_but()) > 0 && tell_next()) {
    }
    for (std::size_t i = told_.size(); i-- > 0;) {
      const Told told = told_[i];
      if (reserve_lacks(truth_, told_but(told.id)) > 0) continue;
      told_.erase(told_.begin() + static_cast<std::ptrdiff_t>(i));
      if (i >= before) continue;  // was never told
      --before;
      log("untold", all_[told.id], told.host);
      ++out_.notices.withdrawn;
    }
    for (std::size_t i = before; i < told_.size(); ++i) {
      log("told", all_[told_[i].id], told_[i].host);
      ++out_.notices.given;
    }
    count_lack(now_);
    if (told_.size() > before) add(now_ + case_.reserve.notice, kTold, 0, 0);
  }
  /// The spots of one host are told to go, for one more VM. False: nobody could be.
  bool tell_next() {
    const std::set<InstanceIndex> gone = told_but();
    std::optional<std::tuple<std::size_t, Revenue, HostIndex>> best;
    std::vector<InstanceIndex> chosen;
    for (HostIndex host = 0; host < truth_.size(); ++host) {
      if (truth_[host].outs > 0) continue;
      Items candidates = between(truth_[host].items, case_.levels - 1, case_.levels - 1);
      std::erase_if(candidates, [&](const Item& item) { return gone.contains(item.id); });
      Taken victims = for_reserve(truth_, host, gone, candidates, now_);
      if (!victims.possible) continue;
      const std::size_t all = victims.instances.size();
      for (std::size_t i = all; i-- > 0;) {
        std::set<InstanceIndex> without = gone;
        for (const InstanceIndex id : victims.instances) {
          if (id != victims.instances[i]) without.insert(id);
        }
        if (reserve_vms(truth_, host, without) > reserve_vms(truth_, host, gone)) {
          victims.instances.erase(victims.instances.begin() + static_cast<std::ptrdiff_t>(i));
        }
      }
      Revenue score = victims.scores[0];
      const auto is_chosen = [&](const Item& item) {
        return std::ranges::find(victims.instances, item.id) != victims.instances.end();
      };
      std::erase_if(candidates, [&](const Item& item) { return !is_chosen(item); });
      if (candidates.size() < all) {
        score = for_reserve(truth_, host, gone, candidates, now_).scores[0];
      }
      const auto promised = static_cast<std::size_t>(std::ranges::count_if(
          candidates, [&](const Item& item) { return item.promised_until > now_; }));
      const auto cost = std::tuple(promised, score, host);
      if (best && *best <= cost) continue;
      best = cost;
      chosen = victims.instances;
    }
    if (!best) return false;
    for (const InstanceIndex id : chosen) told_.push_back({id, std::get<2>(*best), now_});
    return true;
  }
  void end_notices() {
    withdraw_notices();
    for (const Told& told : std::vector<Told>(told_)) {
      if (told.at + case_.reserve.notice > now_) continue;
      evict({.host = told.host, .victims = {told.id}}, told.host, true);
    }
  }

  // Hosts that go and come back, VMs that change.

  void act_on(const Outage& outage, int kind) {
    Host& host = truth_[outage.host];
    if (kind == kBack) {
      --host.outs;
      changed(outage.host);
      if (host.outs == 0) log_host("back", outage.host);
    } else if (kind == kDrain) {
      log_host("drained", outage.host);
      ++host.outs;
      changed(outage.host);
      if (outage.notice == outage.start) return;
      for (const Item& vm : between(host.items, 0, 0)) add(now_, kMigrate, ++moves_, vm.id);
    } else {
      go_down(outage);
    }
  }
  void go_down(const Outage& outage) {
    const bool fails = outage.kind == OutageKind::kFailure;
    ++(fails ? out_.life.host_failures : out_.life.maintenances);
    log_host("down", outage.host);
    for (const Item& spot : between(truth_[outage.host].items, 1, case_.levels)) {
      One& one = all_[spot.id];
      ++(fails ? out_.life.spots_lost : out_.life.spots_stopped);
      log(fails ? "lost" : "stopped", one, outage.host);
      stop(one, LossCause::kOutage);
      if (forecast_) forecast_->departed(one.id, outage.host, now_);
      stand_by(one);
    }
    for (const Item& vm : between(truth_[outage.host].items, 0, 0)) {
      One& one = all_[vm.id];
      log("evacuated", one, outage.host);
      stop(one, LossCause::kOutage);
      one.waits = true;
      if (forecast_) forecast_->departed(one.id, outage.host, now_);
      add(now_, kEvacuate, ++moves_, vm.id);
    }
  }
  void moved(One& vm, HostIndex from) {
    if (!forecast_) return;
    forecast_->departed(vm.id, from, now_);
    forecast_->placed(request(vm), *vm.host);
  }
  void migrate(One& vm) {
    if (!vm.host || truth_[*vm.host].outs == 0) return;  // it went meanwhile
    const HostIndex from = *vm.host;
    const Items before = truth_[from].items;
    take(vm);
    for (const HostIndex host : rank(truth_, wish_of(vm, now_))) {
      if (!fits(wish_of(vm, now_), host, truth_[host].items)) continue;
      put(vm, host);
      moved(vm, from);
      ++out_.life.vms_migrated;
      return log("migrated", vm, host);
    }
    put(vm, from);
    truth_[from].items = before;
    if (settings_ != nullptr) history_.back().second = truth_;
  }
  void resize(const Resize& resize) {
    One& vm = all_[resize.instance];
    LifeResult& counts = out_.life;
    if (!vm.host) {
      ++counts.resizes_missed;
      return;
    }
    const HostIndex from = *vm.host;
    const ResourceVector old = vm.size;
    Items others = truth_[from].items;
    const Items before = others;
    std::erase_if(others, [&](const Item& item) { return item.id == vm.id; });
    const ResourceVector room = case_.hosts[from].total - sum(others);
    const bool grows_here = truth_[from].outs == 0 && grows(old, resize.size, room);
    if (resize.size.fits_in(old) || grows_here) {
      for (Item& item : truth_[from].items) {
        if (item.id == vm.id) item.size = resize.size;
      }
      vm.size = resize.size;
      changed(from);
      moved(vm, from);
    } else {
      take(vm);
      vm.size = resize.size;
      log("asked", vm, {});
      const Choice choice = decide_now(vm);
      if (!choice.host) {
        log("refused", vm, from);
        vm.size = old;
        put(vm, from);
        truth_[from].items = before;
        if (settings_ != nullptr) history_.back().second = truth_;
        ++counts.resizes_refused;
        return;
      }
      evict(choice, *choice.host);
      put(vm, *choice.host);
      moved(vm, from);
    }
    lose(0, LossCause::kRoom, -worth(resize.size.vcpus - old.vcpus, now_, vm.end));
    ++(vm.host == from ? counts.resizes_in_place : counts.resizes_moved);
    log("resized", vm, vm.host);
  }
  /// `room` is that of the host without the VM.
  static bool grows(const ResourceVector& old, const ResourceVector& to,
                    const ResourceVector& room) {
    return (to.vcpus <= old.vcpus || to.vcpus <= room.vcpus) &&
           (to.memory_mb <= old.memory_mb || to.memory_mb <= room.memory_mb) &&
           (to.disk_gb <= old.disk_gb || to.disk_gb <= room.disk_gb);
  }

  // Schedulers.

  bool is_over(const Asked& asked) const {
    return now_ > asked.since && all_[asked.id].end <= now_;
  }
  void withdraw(const Asked& asked) { reject(all_[asked.id], LossCause::kDelay); }

  void take_next(std::size_t number) {
    Scheduler& scheduler = schedulers_[number];
    while (!scheduler.deciding && !scheduler.queue.empty()) {
      const Asked asked = scheduler.queue.front();
      scheduler.queue.pop_front();
      if (is_over(asked)) {
        withdraw(asked);
        continue;
      }
      scheduler.deciding = asked;
      scheduler.retries = 0;
      scheduler.declined.clear();
      refresh(number);
      begin(number);
    }
  }
  void begin(std::size_t number) {
    schedulers_[number].begun = now_;
    if (settings_->decision_time == SimTime{0}) return end_decision(number);
    add(now_ + settings_->decision_time, kDecide, ++begins_, static_cast<std::uint32_t>(number));
  }

  /// Whole copies: of what is now, or of what was at the scheduler's last turn to refresh.
  void refresh(std::size_t number) {
    State& view = schedulers_[number].view;
    if (settings_->refresh_interval == SimTime{0}) {
      view = truth_;
      return;
    }
    const std::int64_t step = settings_->refresh_interval.count();
    std::int64_t turn =
        step * static_cast<std::int64_t>(number) / static_cast<std::int64_t>(schedulers_.size());
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

  Choice decide(Scheduler& scheduler, const Wish& wish) {
    std::vector<HostIndex> hosts = feasible(scheduler.view, wish);
    std::erase_if(hosts, [&](HostIndex host) {
      return std::ranges::find(scheduler.declined, host) != scheduler.declined.end();
    });
    const std::size_t subset = std::min(settings_->host_subset_size, hosts.size());
    if (subset > 1) {
      const HostIndex drawn = hosts[scheduler.random.below(subset)];
      std::erase(hosts, drawn);
      hosts.insert(hosts.begin(), drawn);
    }
    return choose(scheduler.view, wish, hosts);
  }

  void end_decision(std::size_t number) {
    Scheduler& scheduler = schedulers_[number];
    const Asked asked = *scheduler.deciding;
    One& one = all_[asked.id];
    if (is_over(asked)) {
      withdraw(asked);
      scheduler.deciding.reset();
      return take_next(number);
    }
    for (;;) {
      // It asks for the lifetime that is left to it when the decision ends.
      Wish wish = wish_of(one, now_);
      wish.now = scheduler.begun;
      const Choice choice = decide(scheduler, wish);
      wish.now = now_;
      if (!choice.host) {
        LossCause cause = LossCause::kRoom;
        if (!feasible(truth_, wish).empty()) cause = LossCause::kStaleView;
        if (!scheduler.declined.empty()) cause = LossCause::kConflict;
        reject(one, cause);
        answered(asked, one.ran, false);
        break;
      }
      LevelOutcome& of = out_.levels[level(one.id)];
      ++of.commits;
      const bool had_run = one.ran;
      const bool is_done = commit(scheduler, wish, asked, choice);
      scheduler.view[*choice.host] = truth_[*choice.host];
      if (is_done) {
        answered(asked, had_run, true);
        break;
      }
      ++of.conflicts;
      log("declined", one, choice.host);
      out_.schedulers.evictions_averted += choice.victims.size();
      if (scheduler.retries == settings_->retries) {
        reject(one, LossCause::kConflict);
        answered(asked, one.ran, false);
        break;
      }
      ++scheduler.retries;
      ++out_.schedulers.retries;
      if (settings_->retry == RetryRule::kAlternates) {
        scheduler.declined.push_back(*choice.host);
        continue;
      }
      scheduler.view = truth_;
      scheduler.begun = now_;
      if (settings_->decision_time != SimTime{0}) return begin(number);
    }
    scheduler.deciding.reset();
    take_next(number);
  }

  bool commit(const Scheduler& scheduler, const Wish& wish, const Asked& asked,
              const Choice& choice) {
    const HostIndex host = *choice.host;
    const bool is_current = truth_[host].version == scheduler.view[host].version;
    Choice again = choice;
    if (!is_current && settings_->commit == CommitRule::kGeneration) return false;
    if (!is_current || has_group(wish.id)) {
      const std::vector<HostIndex> all = feasible(truth_, wish);
      if (std::ranges::find(all, host) == all.end()) return false;
    }
    if (!is_current) again = choose(truth_, wish, {host});
    if (!again.host) return false;
    for (const InstanceIndex named : choice.victims) {
      const bool goes = std::ranges::find(again.victims, named) != again.victims.end();
      if (!goes) ++out_.schedulers.evictions_averted;
    }
    evict(again, host);
    start(all_[wish.id], host);
    ++out_.schedulers.placements;
    out_.schedulers.delay += now_ - asked.since;
    out_.schedulers.longest_delay = std::max(out_.schedulers.longest_delay, now_ - asked.since);
    return true;
  }

  void settle_work(const One& one) {
    SpotWorkResult& sums = out_.life.spot_work;
    const bool is_gone = !one.host && !one.ended && !one.waits;
    for (const Stay& stay : one.stays) {
      const SimTime to = std::min(stay.to, workload_.window);
      sums.restoring += worth(one.size.vcpus, stay.from, std::min(stay.works, to));
      (stay.is_undone || is_gone ? sums.wasted : sums.useful) +=
          worth(one.size.vcpus, stay.works, to);
    }
    sums.evicted += one.is_evicted ? 1 : 0;
    sums.back += one.is_back ? 1 : 0;
  }
  void settle(const One& one) {
    LevelOutcome& of = out_.levels[level(one.id)];
    if (!one.arrived) return;
    if (plan_.on_eviction && is_lowest(one.id)) settle_work(one);
    if (one.waits) ++out_.life.waiting;
    if (!one.ran) {
      ++of.not_placed[static_cast<std::size_t>(one.cause)];
      lose(level(one.id), one.cause, one.would_earn);
      const bool fits_somewhere = std::ranges::any_of(
          case_.hosts, [&](const HostSettings& host) { return one.size.fits_in(host.total); });
      if (level(one.id) == 0 && !fits_somewhere) ++out_.life.run.vm_too_large;
      return;
    }
    if (one.host || one.ended) return;
    lose(level(one.id), one.cause, one.would_earn);
    if (level(one.id) == 0) ++out_.life.vms_lost;
  }

  void settle_run() {
    RunResult& run = out_.life.run;
    const LevelOutcome& vm = out_.levels.front();
    const LevelOutcome& spot = out_.levels.back();
    run.hosts = truth_.size();
    run.vm_requests = vm.requests;
    run.vm_rejected = vm.rejected();
    run.spot_requests = spot.requests;
    run.spot_admitted = spot.placed();
    run.evictions = spot.evictions;
    run.vm_revenue_requested = vm.revenue_requested;
    run.vm_revenue = vm.revenue();
    run.spot_revenue_requested = spot.revenue_requested;
    run.spot_revenue = spot.revenue();
    run.spot_revenue_first_hour_free = spot.revenue() - free_;
  }

  const LifePlan& plan_;
  State truth_;
  std::vector<One> all_;
  std::multimap<Key, std::uint32_t> todo_;
  SimTime now_{0};
  const SchedulerSettings* settings_ = nullptr;
  std::vector<std::pair<SimTime, State>> history_;
  std::vector<Scheduler> schedulers_;
  std::vector<Told> told_;
  SimTime kept_at_ = SimTime::min();
  bool lacks_ = false;
  std::size_t asks_ = 0;
  std::int64_t begins_ = 0, moves_ = 0;
  EventSchedule schedule_;
  std::unique_ptr<LifetimeForecast> forecast_;
  Revenue free_ = 0;  // earned by spots that lost their host within an hour
  ProviderOutcome out_;
};

}  // namespace

ProviderCase case_of(const Settings& settings) {
  ProviderCase one{.hosts = settings.each,
                   .vm = settings.vm,
                   .spot = settings.spot,
                   .evictor = settings.evictor,
                   .saf = settings.saf,
                   .otn = settings.otn,
                   .adaptive = settings.adaptive};
  if (one.hosts.empty()) one.hosts.assign(settings.hosts, {.total = settings.host});
  return one;
}

ProviderOutcome simulate_provider(const Workload& workload, const ProviderCase& one) {
  return Simulator(workload, one).run();
}

std::string event_line(SimTime time, const std::string& event, std::int64_t instance,
                       std::int64_t host, ResourceVector size) {
  return fmt::format("{} {} {} {} {}x{}x{}", time.count(), event, instance, host, size.vcpus,
                     size.memory_mb, size.disk_gb);
}

}  // namespace cospot::reference
