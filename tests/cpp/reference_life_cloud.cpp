#include "tests/cpp/reference_life_cloud.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace cospot::reference {

LifeCloud::LifeCloud(const Workload& workload, const Settings& settings)
    : workload_(workload), settings_(settings), outs_(settings.hosts, 0) {
  for (InstanceIndex id = 0; id < workload.rows.size(); ++id) {
    all_.push_back(
        {.id = id, .size = workload.rows[id].resources, .is_spot = workload.rows[id].is_spot()});
  }
}

std::vector<const LifeCloud::One*> LifeCloud::on(HostIndex host, bool spots) const {
  std::vector<const One*> here;
  for (const One& one : all_) {
    if (one.host == host && one.is_spot == spots) here.push_back(&one);
  }
  std::sort(here.begin(), here.end(), [](const One* a, const One* b) { return a->came < b->came; });
  return here;
}

const ResourceVector& LifeCloud::total(HostIndex host) const {
  return settings_.each.empty() ? settings_.host : settings_.each[host].total;
}

ResourceVector LifeCloud::taken(HostIndex host, bool with_spots,
                                const std::set<InstanceIndex>& without) const {
  ResourceVector sum;
  for (const One& one : all_) {
    if (one.host == host && (with_spots || !one.is_spot) && !without.contains(one.id)) {
      sum += one.size;
    }
  }
  return sum;
}

bool LifeCloud::fits(const One& one, HostIndex host, bool with_spots,
                     const std::set<InstanceIndex>& without) const {
  return one.size.fits_in(total(host) - taken(host, with_spots, without));
}

bool LifeCloud::may_be_on(const One& one, HostIndex host) const {
  const std::uint32_t placement = workload_.rows[one.id].placement;
  if (placement == 0) return true;
  const RowPlacement& wish = workload_.placements.asked[placement - 1];
  if (!wish.rules.zone.empty() && wish.rules.zone != settings_.each[host].zone) return false;
  const std::uint32_t group = wish.group;
  if (group == RowPlacement::kNoGroup) return true;
  const ServerGroup& is = workload_.placements.groups[group];
  int here = 0, anywhere = 0;
  for (const One& other : all_) {
    const std::uint32_t asked = workload_.rows[other.id].placement;
    if (!other.host || asked == 0) continue;
    if (workload_.placements.asked[asked - 1].group != group) continue;
    ++anywhere;
    if (other.host == host) ++here;
  }
  if (is.policy == GroupPolicy::kAntiAffinity) return here < is.max_server_per_host;
  return anywhere == 0 || here > 0;
}

std::vector<HostIndex> LifeCloud::rank(const One& one) const {
  const Policy policy =
      one.is_spot ? parse_spot_policy(settings_.spot) : parse_vm_policy(settings_.vm);
  std::vector<std::tuple<int, int, double, HostIndex>> ranked;
  for (HostIndex host = 0; host < outs_.size(); ++host) {
    if (outs_[host] > 0 || !fits(one, host, one.is_spot) || !may_be_on(one, host)) continue;
    const bool has_vms = !on(host, false).empty();
    const bool in_use = has_vms || (policy.counts_spots && !on(host, true).empty());
    int tier = 0;
    if (policy.avoids_vms) {
      tier = has_vms ? 1 : 0;
    } else if (policy.formula == "COS" || policy.formula == "DPD") {
      tier = in_use ? 0 : 1;
    }
    const ResourceVector used = taken(host, policy.counts_spots);
    const bool evicts = settings_.saf && !one.is_spot && !fits(one, host, true);
    ranked.emplace_back(evicts ? 1 : 0, tier, -weight(one, policy, used, total(host)), host);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<HostIndex> hosts;
  for (const auto& each : ranked) hosts.push_back(std::get<3>(each));
  return hosts;
}

double LifeCloud::weight(const One& one, const Policy& policy, const ResourceVector& used,
                         const ResourceVector& of) {
  if (policy.formula == "UTIL") return used.vcpus;
  if (policy.formula == "COS") return cosine_score(one.size, of - used);
  if (policy.formula == "DPD") {
    return static_cast<double>(diagonal_gain(one.size, used, of)) /
           (static_cast<double>(of.vcpus) * of.memory_mb);
  }
  return 0;
}

std::size_t LifeCloud::offered() const {
  if (!settings_.adaptive) return settings_.otn;
  ResourceVector all, used;
  for (HostIndex host = 0; host < outs_.size(); ++host) {
    all += total(host);
    used += outs_[host] > 0 ? total(host) : taken(host, false);
  }
  double load = std::max(static_cast<double>(used.vcpus) / all.vcpus,
                         static_cast<double>(used.memory_mb) / all.memory_mb);
  if (all.disk_gb > 0) load = std::max(load, static_cast<double>(used.disk_gb) / all.disk_gb);
  const AdaptiveOffer& offer = *settings_.adaptive;
  const double part = std::clamp((load - offer.from) / (offer.to - offer.from), 0.0, 1.0);
  const auto low = static_cast<double>(offer.at_low_load);
  const auto high = static_cast<double>(offer.at_high_load);
  return static_cast<std::size_t>(std::floor(low + (high - low) * part + 0.5));
}

LifeCloud::Choice LifeCloud::choose(const One& one) const {
  std::vector<HostIndex> ranked = rank(one);
  if (ranked.empty()) return {};
  if (one.is_spot) return {.host = ranked[0]};
  ranked.resize(std::min(ranked.size(), offered()));
  Choice best;
  Revenue best_score = 0;
  for (const HostIndex host : ranked) {
    const auto [victims, score] = cheapest(one, host);
    if (best.host && score >= best_score) continue;
    best = {.host = host, .victims = victims};
    best_score = score;
  }
  return best;
}

std::pair<std::vector<InstanceIndex>, Revenue> LifeCloud::cheapest(const One& one,
                                                                   HostIndex host) const {
  std::vector<const One*> spots = on(host, true);
  if (fits(one, host, true)) return {};
  if (settings_.evictor == "LPO" && now_ >= 3 * kDay) return least_loss(one, host, spots);
  const bool youngest_first = settings_.evictor == "YJF";
  if (youngest_first) std::reverse(spots.begin(), spots.end());
  std::vector<InstanceIndex> victims;
  std::set<InstanceIndex> gone;
  for (const One* spot : spots) {
    if (fits(one, host, true, gone)) break;
    victims.push_back(spot->id);
    gone.insert(spot->id);
  }
  if (youngest_first) std::reverse(victims.begin(), victims.end());
  const auto score = static_cast<Revenue>(victims.size());
  return {victims, score};
}

std::pair<std::vector<InstanceIndex>, Revenue> LifeCloud::least_loss(
    const One& one, HostIndex host, const std::vector<const One*>& spots) const {
  std::optional<std::tuple<Revenue, std::size_t, std::vector<std::size_t>>> best;
  for (std::size_t subset = 0; subset < (std::size_t{1} << spots.size()); ++subset) {
    std::set<InstanceIndex> gone;
    std::vector<std::size_t> positions;
    Revenue score = 0;
    for (std::size_t i = 0; i < spots.size(); ++i) {
      if ((subset >> i & 1) == 0) continue;
      gone.insert(spots[i]->id);
      positions.push_back(i);
      const SimTime life = std::max(std::min(spots[i]->end, 90 * kDay) - now_, SimTime{1});
      score += Revenue{spots[i]->size.vcpus} * life.count();
    }
    if (!fits(one, host, true, gone)) continue;
    const auto rank = std::tuple(score, positions.size(), positions);
    if (!best || rank < *best) best = rank;
  }
  std::vector<InstanceIndex> victims;
  for (const std::size_t position : std::get<2>(*best)) victims.push_back(spots[position]->id);
  return {victims, std::get<0>(*best)};
}

}  // namespace cospot::reference
