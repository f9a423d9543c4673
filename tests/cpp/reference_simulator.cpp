#include "tests/cpp/reference_simulator.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <tuple>

#include "core/errors.hpp"
#include "tests/cpp/reference_lifetimes.hpp"
#include "tests/cpp/reference_policies.hpp"

namespace cospot::reference {
namespace {

constexpr SimTime kFifoUntil = 3 * kDay;
/// Remaining lives count to day 90, or for 30 days if that is later.
SimTime life_counted_to(SimTime now) { return std::max(90 * kDay, now + 30 * kDay); }
constexpr std::size_t kMostSpotsToEnumerate = 16;

/// The instances on a host, each list in order of placement.
struct Host {
  HostSettings is{};
  std::vector<InstanceIndex> vms{};
  std::vector<InstanceIndex> spots{};
};

/// A feasible host and what it is ranked by: smaller is better but for the weight.
struct RankedHost {
  int needs_eviction = 0;
  int tier = 0;
  double weight = 0;
  HostIndex host = kNoHost;
};

/// Which spots of a host must go, as positions in its list, and what that costs.
struct Plan {
  bool possible = false;
  std::vector<std::size_t> victims{};
  Revenue score = 0;
};

class Simulator {
 public:
  Simulator(const Workload& workload, const Settings& settings)
      : workload_(workload),
        settings_(settings),
        vm_policy_(parse_vm_policy(settings.vm)),
        spot_policy_(parse_spot_policy(settings.spot)),
        hosts_(settings.hosts) {
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      if (settings.each.empty()) {
        hosts_[i].is.total = settings.host;
      } else {
        hosts_[i].is = settings.each.at(i);
      }
    }
    if (settings.evictor != "FIFO" && settings.evictor != "YJF" && settings.evictor != "LPO" &&
        settings.evictor != "LPML") {
      throw ConfigError("unknown evictor '" + settings.evictor + "'");
    }
    outcome_.placements.assign(workload.rows.size(), kNoHost);
    outcome_.result.hosts = settings.hosts;
  }

  Outcome run() {
    for (const InstanceIndex instance : arrival_order(workload_)) {
      end_all_until(row(instance).start);
      request(instance);
    }
    // kNever itself is no moment: who never ends stays.
    end_all_until(kNever - SimTime{1});
    for (const Host& host : hosts_) {
      for (const InstanceIndex instance : host.vms) earn(instance, row(instance).end);
      for (const InstanceIndex instance : host.spots) earn(instance, row(instance).end);
    }
    RunResult& result = outcome_.result;
    result.spot_revenue_first_hour_free = result.spot_revenue - first_hour_revenue_;
    return outcome_;
  }

 private:
  const WorkloadRow& row(InstanceIndex instance) const { return workload_.rows[instance]; }
  bool is_spot(InstanceIndex instance) const {
    return row(instance).instance_class == InstanceClass::kSpot;
  }

  ResourceVector held_by(const std::vector<InstanceIndex>& instances) const {
    ResourceVector sum;
    for (const InstanceIndex instance : instances) sum += row(instance).resources;
    return sum;
  }
  ResourceVector used(const Host& host, bool count_spots) const {
    return count_spots ? held_by(host.vms) + held_by(host.spots) : held_by(host.vms);
  }
  bool fits(InstanceIndex instance, const Host& host, bool count_spots) const {
    return row(instance).resources.fits_in(host.is.total - used(host, count_spots));
  }

  void log(SimTime time, EventKind kind, InstanceIndex instance, HostIndex host) {
    outcome_.events.push_back({time, kind, instance, host});
  }
  void earn(InstanceIndex instance, SimTime until) {
    const Revenue revenue = earned(row(instance), until, workload_.window);
    (is_spot(instance) ? outcome_.result.spot_revenue : outcome_.result.vm_revenue) += revenue;
  }

  void end_all_until(SimTime time);
  void request(InstanceIndex instance);
  void place_vm(InstanceIndex instance);
  void place_spot(InstanceIndex instance);
  void reject(InstanceIndex instance);
  void evict(HostIndex host, const std::vector<std::size_t>& victims, SimTime now);

  std::vector<RankedHost> rank(InstanceIndex instance, const Policy& policy, bool saf) const;
  bool may_be_on(InstanceIndex instance, const Host& host) const;
  std::size_t members_on(const Host& host, std::uint32_t group) const;
  double weight_of(InstanceIndex instance, const Policy& policy, const Host& host) const;
  std::size_t hosts_to_offer(const std::vector<RankedHost>& ranked) const;
  double vm_load() const;
  Plan plan_evictions(InstanceIndex vm, const Host& host) const;
  Plan plan_in_order(InstanceIndex vm, const Host& host, bool youngest_first) const;
  Plan plan_least_loss(InstanceIndex vm, const Host& host) const;
  Revenue loss(InstanceIndex spot, SimTime now) const;

  const Workload& workload_;
  const Settings& settings_;
  Policy vm_policy_;
  Policy spot_policy_;
  std::vector<Host> hosts_;
  Outcome outcome_;
  Revenue first_hour_revenue_ = 0;
};

/// Ends every running instance whose end is `time` or earlier, in order of end, then file order.
/// Called before each arrival, so departures come first, and a zero-length instance leaves before
/// the next one arrives.
void Simulator::end_all_until(SimTime time) {
  std::vector<std::tuple<SimTime, InstanceIndex, HostIndex>> ended;
  for (HostIndex h = 0; h < hosts_.size(); ++h) {
    for (std::vector<InstanceIndex>* list : {&hosts_[h].vms, &hosts_[h].spots}) {
      for (const InstanceIndex instance : *list) {
        if (row(instance).end <= time) ended.emplace_back(row(instance).end, instance, h);
      }
      std::erase_if(*list, [&](InstanceIndex instance) { return row(instance).end <= time; });
    }
  }
  std::sort(ended.begin(), ended.end());
  for (const auto& [end, instance, host] : ended) {
    earn(instance, end);
    log(end, EventKind::kEnded, instance, host);
  }
}

void Simulator::request(InstanceIndex instance) {
  RunResult& result = outcome_.result;
  const Revenue asked = earned(row(instance), row(instance).end, workload_.window);
  if (is_spot(instance)) {
    ++result.spot_requests;
    result.spot_revenue_requested += asked;
    place_spot(instance);
  } else {
    ++result.vm_requests;
    result.vm_revenue_requested += asked;
    place_vm(instance);
  }
}

void Simulator::reject(InstanceIndex instance) {
  log(row(instance).start, EventKind::kRejected, instance, kNoHost);
  if (is_spot(instance)) return;
  ++outcome_.result.vm_rejected;
  const ResourceVector size = row(instance).resources;
  if (std::none_of(hosts_.begin(), hosts_.end(),
                   [&](const Host& host) { return size.fits_in(host.is.total); })) {
    ++outcome_.result.vm_too_large;
  }
}

void Simulator::place_spot(InstanceIndex instance) {
  const std::vector<RankedHost> ranked = rank(instance, spot_policy_, false);
  if (ranked.empty()) return reject(instance);
  const HostIndex host = ranked[0].host;
  ++outcome_.result.spot_admitted;
  outcome_.placements[instance] = host;
  hosts_[host].spots.push_back(instance);
  log(row(instance).start, EventKind::kPlaced, instance, host);
}

void Simulator::place_vm(InstanceIndex instance) {
  std::vector<RankedHost> offer = rank(instance, vm_policy_, settings_.saf);
  offer.resize(hosts_to_offer(offer));
  HostIndex chosen = kNoHost;
  Plan best;
  for (const RankedHost& offered : offer) {
    const HostIndex host = offered.host;
    const Plan plan = plan_evictions(instance, hosts_[host]);
    if (!plan.possible) continue;
    if (chosen != kNoHost && plan.score >= best.score) continue;
    chosen = host;
    best = plan;
  }
  if (chosen == kNoHost) return reject(instance);
  evict(chosen, best.victims, row(instance).start);
  outcome_.placements[instance] = chosen;
  hosts_[chosen].vms.push_back(instance);
  log(row(instance).start, EventKind::kPlaced, instance, chosen);
}

void Simulator::evict(HostIndex host, const std::vector<std::size_t>& victims, SimTime now) {
  std::vector<InstanceIndex> staying;
  std::vector<InstanceIndex>& spots = hosts_[host].spots;
  for (std::size_t i = 0; i < spots.size(); ++i) {
    if (std::find(victims.begin(), victims.end(), i) == victims.end()) {
      staying.push_back(spots[i]);
      continue;
    }
    earn(spots[i], now);
    // In its first hour it would have been free.
    if (now < row(spots[i]).start + std::chrono::hours(1)) {
      first_hour_revenue_ += earned(row(spots[i]), now, workload_.window);
    }
    ++outcome_.result.evictions;
    outcome_.evictions.push_back({now, host, spots[i]});
    log(now, EventKind::kEvicted, spots[i], host);
  }
  spots = staying;
}

std::size_t Simulator::members_on(const Host& host, std::uint32_t group) const {
  std::size_t members = 0;
  for (const std::vector<InstanceIndex>* list : {&host.vms, &host.spots}) {
    for (const InstanceIndex other : *list) {
      const std::uint32_t asked = row(other).placement;
      if (asked != 0 && workload_.placements.asked[asked - 1].group == group) ++members;
    }
  }
  return members;
}

/// What the request asks beside room; extra specs are compared as texts here.
bool Simulator::may_be_on(InstanceIndex instance, const Host& host) const {
  const auto tenants = host.is.metadata.find("filter_tenant_id");
  if (tenants != host.is.metadata.end() && !tenants->second.contains(row(instance).tenant)) {
    return false;
  }
  if (row(instance).placement == 0) return true;
  const RowPlacement& asked = workload_.placements.asked[row(instance).placement - 1];
  if (!asked.rules.zone.empty() && asked.rules.zone != host.is.zone) return false;
  for (const auto& [key, value] : asked.rules.extra_specs) {
    const auto found = host.is.metadata.find(key);
    if (found == host.is.metadata.end() || !found->second.contains(value)) return false;
  }
  if (asked.group == RowPlacement::kNoGroup) return true;
  const ServerGroup& group = workload_.placements.groups[asked.group];
  const std::size_t here = members_on(host, asked.group);
  if (group.policy == GroupPolicy::kAntiAffinity) {
    return here < static_cast<std::size_t>(group.max_server_per_host);
  }
  std::size_t anywhere = 0;
  for (const Host& other : hosts_) anywhere += members_on(other, asked.group);
  return group.policy != GroupPolicy::kAffinity || anywhere == 0 || here > 0;
}

/// The policy's formula; higher is better.
double Simulator::weight_of(InstanceIndex instance, const Policy& policy, const Host& host) const {
  const ResourceVector& size = row(instance).resources;
  const ResourceVector taken = used(host, policy.counts_spots);
  if (policy.formula == "UTIL") return taken.vcpus - host.is.total.vcpus;
  if (policy.formula == "UTIL:used") return taken.vcpus;
  if (policy.formula == "UTIL:fraction") return 1.0 * taken.vcpus / host.is.total.vcpus;
  if (policy.formula == "COS") return cosine_score(size, host.is.total - taken);
  if (policy.formula == "DPD") {
    return static_cast<double>(diagonal_gain(size, taken, host.is.total)) /
           (static_cast<double>(host.is.total.vcpus) * host.is.total.memory_mb);
  }
  if (policy.formula == "FewestSpots") return -static_cast<double>(host.spots.size());
  if (policy.formula != "SpotHour") return 0;
  double minus_sum = 0;
  for (const InstanceIndex spot : host.spots) {
    SimTime beyond_hours = row(instance).start - row(spot).start;
    while (beyond_hours >= std::chrono::hours(1)) beyond_hours -= std::chrono::hours(1);
    minus_sum -= static_cast<double>(beyond_hours.count());
  }
  return minus_sum;
}

/// Every feasible host, best first: by SAF, then tier, then the policy's formula, then index.
std::vector<RankedHost> Simulator::rank(InstanceIndex instance, const Policy& policy,
                                        bool saf) const {
  std::vector<RankedHost> ranked;
  for (HostIndex h = 0; h < hosts_.size(); ++h) {
    const Host& host = hosts_[h];
    if (!fits(instance, host, is_spot(instance)) || !may_be_on(instance, host)) continue;
    const bool idle = host.vms.empty() && (!policy.counts_spots || host.spots.empty());
    int tier = 0;
    if (policy.avoids_vms) {
      tier = host.vms.empty() ? 0 : 1;
    } else if (policy.formula == "COS" || policy.formula == "DPD") {
      tier = idle ? 1 : 0;
    }
    ranked.push_back({.needs_eviction = saf && !fits(instance, host, true) ? 1 : 0,
                      .tier = tier,
                      .weight = weight_of(instance, policy, host),
                      .host = h});
  }
  std::sort(ranked.begin(), ranked.end(), [](const RankedHost& a, const RankedHost& b) {
    return std::tuple(a.needs_eviction, a.tier, -a.weight, a.host) <
           std::tuple(b.needs_eviction, b.tier, -b.weight, b.host);
  });
  return ranked;
}

/// The part of the scarcest resource that VMs use.
double Simulator::vm_load() const {
  ResourceVector all;
  for (const Host& host : hosts_) all += host.is.total;
  double vcpus = 0;
  double memory = 0;
  double disk = 0;
  for (const Host& host : hosts_) {
    vcpus += held_by(host.vms).vcpus;
    memory += held_by(host.vms).memory_mb;
    disk += held_by(host.vms).disk_gb;
  }
  double load = std::max(vcpus / all.vcpus, memory / all.memory_mb);
  if (all.disk_gb > 0) load = std::max(load, disk / all.disk_gb);
  return load;
}

std::size_t Simulator::hosts_to_offer(const std::vector<RankedHost>& ranked) const {
  if (ranked.empty()) return 0;
  if (!settings_.epsilon) {
    std::size_t most = settings_.otn;
    if (settings_.adaptive) {
      const AdaptiveOffer& offer = *settings_.adaptive;
      const double low = static_cast<double>(offer.at_low_load);
      const double high = static_cast<double>(offer.at_high_load);
      const double load = vm_load();
      double most_hosts = low + (high - low) * ((load - offer.from) / (offer.to - offer.from));
      if (load <= offer.from) most_hosts = low;
      if (load >= offer.to) most_hosts = high;
      most = static_cast<std::size_t>(std::floor(most_hosts + 0.5));
    }
    return std::min(ranked.size(), most);
  }
  double least = ranked[0].weight;
  double greatest = ranked[0].weight;
  for (const RankedHost& host : ranked) {
    least = std::min(least, host.weight);
    greatest = std::max(greatest, host.weight);
  }
  std::size_t offered = 0;
  for (const RankedHost& host : ranked) {
    if (host.needs_eviction != ranked[0].needs_eviction || host.tier != ranked[0].tier) break;
    if (ranked[0].weight - host.weight > *settings_.epsilon * (greatest - least)) break;
    ++offered;
  }
  return offered;
}

Plan Simulator::plan_evictions(InstanceIndex vm, const Host& host) const {
  if (fits(vm, host, true)) return {.possible = true};
  if (settings_.evictor == "YJF") return plan_in_order(vm, host, true);
  if (settings_.evictor == "FIFO" || row(vm).start < kFifoUntil) {
    return plan_in_order(vm, host, false);
  }
  return plan_least_loss(vm, host);
}

/// Takes spots from one end of the placement order until the VM fits. Score: how many.
Plan Simulator::plan_in_order(InstanceIndex vm, const Host& host, bool youngest_first) const {
  Plan plan;
  Host left = host;
  while (!fits(vm, left, true)) {
    if (left.spots.empty()) return {};
    if (youngest_first) {
      left.spots.pop_back();
      plan.victims.insert(plan.victims.begin(), left.spots.size());
    } else {
      left.spots.erase(left.spots.begin());
      plan.victims.push_back(plan.victims.size());
    }
  }
  plan.possible = true;
  plan.score = static_cast<Revenue>(plan.victims.size());
  return plan;
}

/// Revenue that evicting `spot` now costs: its vcpus until its true (LPML: expected) end, counted
/// to day 90, and for one microsecond at least.
Revenue Simulator::loss(InstanceIndex spot, SimTime now) const {
  const SimTime remaining = settings_.evictor == "LPML"
                                ? expected_remaining(workload_, spot, now, life_counted_to(now))
                                : std::min(row(spot).end, life_counted_to(now)) - now;
  const SimTime life = std::max(remaining, SimTime{1});
  return Revenue{row(spot).resources.vcpus} * life.count();
}

/// Tries every subset of the host's spots. Least revenue lost wins; then fewest victims; then the
/// positions that come first in dictionary order.
Plan Simulator::plan_least_loss(InstanceIndex vm, const Host& host) const {
  const std::size_t n = host.spots.size();
  if (n > kMostSpotsToEnumerate) {
    throw PolicyError("the reference LPO tries every subset of at most 16 spots, not of " +
                      std::to_string(n));
  }
  Plan best;
  for (std::size_t subset = 0; subset < (std::size_t{1} << n); ++subset) {
    Plan plan{.possible = true};
    Host left = host;
    left.spots.clear();
    for (std::size_t i = 0; i < n; ++i) {
      if ((subset >> i & 1) == 0) {
        left.spots.push_back(host.spots[i]);
        continue;
      }
      plan.victims.push_back(i);
      plan.score += loss(host.spots[i], row(vm).start);
    }
    if (!fits(vm, left, true)) continue;
    const auto rank = [](const Plan& p) {
      return std::tuple(p.score, p.victims.size(), p.victims);
    };
    if (!best.possible || rank(plan) < rank(best)) best = plan;
  }
  return best;
}

}  // namespace

Revenue earned(const WorkloadRow& row, SimTime end, SimTime window) {
  const SimTime from = std::max(row.start, SimTime{0});
  const SimTime to = std::min(end, window);
  return to <= from ? 0 : Revenue{row.resources.vcpus} * (to - from).count();
}

std::vector<InstanceIndex> arrival_order(const Workload& workload) {
  std::vector<InstanceIndex> order(workload.rows.size());
  std::iota(order.begin(), order.end(), InstanceIndex{0});
  // Who comes when the window is over can earn nothing and takes no part.
  std::erase_if(order, [&](InstanceIndex i) { return workload.rows[i].start >= workload.window; });
  std::stable_sort(order.begin(), order.end(), [&](InstanceIndex a, InstanceIndex b) {
    return workload.rows[a].start < workload.rows[b].start;
  });
  return order;
}

Outcome simulate(const Workload& workload, const Settings& settings) {
  return Simulator(workload, settings).run();
}

}  // namespace cospot::reference
