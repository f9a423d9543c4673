#include "tests/cpp/reference_levels.hpp"

#include <algorithm>
#include <tuple>

#include "tests/cpp/reference_policies.hpp"
#include "tests/cpp/reference_simulator.hpp"

namespace cospot::reference {
namespace {

using Instances = std::vector<InstanceIndex>;  // in order of placement

/// What is evicted of each level, the highest first, and what that costs.
struct Victims {
  bool possible = false;
  Instances instances{};
  std::vector<Revenue> scores{};
};

class Simulator {
 public:
  Simulator(const Workload& workload, const LevelSettings& settings)
      : workload_(workload), settings_(settings), hosts_(settings.hosts) {
    outcome_.placements.assign(workload.rows.size(), kNoHost);
    outcome_.results.resize(settings.levels);
  }

  LevelOutcome run() {
    for (const InstanceIndex instance : arrival_order(workload_)) {
      end_all_until(row(instance).start);
      request(instance);
    }
    for (const Instances& host : hosts_) {
      for (const InstanceIndex instance : host) earn(instance, row(instance).end);
    }
    return outcome_;
  }

 private:
  const WorkloadRow& row(InstanceIndex instance) const { return workload_.rows[instance]; }
  std::size_t level(InstanceIndex instance) const { return settings_.level_of[instance]; }
  bool is_lowest(InstanceIndex instance) const { return level(instance) + 1 == settings_.levels; }

  /// Those of `instances` whose level is from `first` to `last`.
  Instances between(const Instances& instances, std::size_t first, std::size_t last) const {
    Instances chosen;
    for (const InstanceIndex one : instances) {
      if (level(one) >= first && level(one) <= last) chosen.push_back(one);
    }
    return chosen;
  }
  ResourceVector used(const Instances& instances) const {
    ResourceVector sum;
    for (const InstanceIndex one : instances) sum += row(one).resources;
    return sum;
  }
  bool fits(InstanceIndex instance, const Instances& beside) const {
    return row(instance).resources.fits_in(settings_.host - used(beside));
  }

  void earn(InstanceIndex instance, SimTime until) {
    outcome_.results[level(instance)].revenue += earned(row(instance), until, workload_.window);
  }

  void end_all_until(SimTime time) {
    for (Instances& host : hosts_) {
      std::erase_if(host, [&](InstanceIndex instance) {
        const bool ends = row(instance).end <= time;
        if (ends) earn(instance, row(instance).end);
        return ends;
      });
    }
  }

  bool is_promised(InstanceIndex instance) const {
    if (level(instance) != 1 || settings_.promised_vcpus < 0) return true;
    std::int64_t taken = row(instance).resources.vcpus;
    for (const Instances& host : hosts_) taken += used(between(host, 1, 1)).vcpus;
    return taken <= settings_.promised_vcpus;
  }

  void request(InstanceIndex instance) {
    LevelResult& result = outcome_.results[level(instance)];
    ++result.requests;
    result.revenue_requested += earned(row(instance), row(instance).end, workload_.window);
    std::vector<HostIndex> offer = rank(instance);
    if (!is_promised(instance)) offer.clear();
    offer.resize(std::min(offer.size(), is_lowest(instance) ? 1 : settings_.otn));
    HostIndex chosen = kNoHost;
    Victims best;
    for (const HostIndex host : offer) {
      const Victims victims = choose(instance, hosts_[host]);
      if (!victims.possible) continue;
      if (chosen != kNoHost && victims.scores >= best.scores) continue;
      chosen = host;
      best = victims;
    }
    if (chosen == kNoHost) {
      ++result.rejected;
      return;
    }
    for (const InstanceIndex victim : best.instances) {
      earn(victim, row(instance).start);
      ++outcome_.results[level(victim)].evictions;
      std::erase(hosts_[chosen], victim);
    }
    outcome_.placements[instance] = chosen;
    hosts_[chosen].push_back(instance);
  }

  int members_on(HostIndex host, std::uint32_t group) const {
    int members = 0;
    for (const InstanceIndex one : hosts_[host]) {
      const std::uint32_t asked = row(one).placement;
      if (asked != 0 && workload_.placements.asked[asked - 1].group == group) ++members;
    }
    return members;
  }

  /// What the request asks beside room; extra specs are compared as texts here.
  bool may_be_on(InstanceIndex instance, HostIndex host) const {
    const HostSettings is = settings_.places.empty() ? HostSettings{} : settings_.places[host];
    const auto has = [&is](const std::string& key, const std::string& value) {
      return is.metadata.contains(key) && is.metadata.at(key).contains(value);
    };
    const std::string kept_for = "filter_tenant_id";
    if (is.metadata.contains(kept_for) && !has(kept_for, row(instance).tenant)) return false;
    if (row(instance).placement == 0) return true;
    const RowPlacement& asked = workload_.placements.asked[row(instance).placement - 1];
    if (!asked.rules.zone.empty() && asked.rules.zone != is.zone) return false;
    for (const auto& [key, value] : asked.rules.extra_specs) {
      if (!has(key, value)) return false;
    }
    if (asked.group == RowPlacement::kNoGroup) return true;
    const ServerGroup& group = workload_.placements.groups[asked.group];
    const int here = members_on(host, asked.group);
    if (group.policy == GroupPolicy::kAntiAffinity) return here < group.max_server_per_host;
    if (group.policy != GroupPolicy::kAffinity || here > 0) return true;
    for (HostIndex other = 0; other < hosts_.size(); ++other) {
      if (members_on(other, asked.group) > 0) return false;
    }
    return true;
  }

  /// Feasible hosts, best first.
  std::vector<HostIndex> rank(InstanceIndex instance) const {
    const Policy policy =
        is_lowest(instance) ? parse_spot_policy(settings_.spot) : parse_vm_policy(settings_.vm);
    std::vector<std::tuple<int, int, double, HostIndex>> ranked;
    for (HostIndex h = 0; h < hosts_.size(); ++h) {
      const Instances& all = hosts_[h];
      // What it cannot displace; the lowest level displaces nothing.
      const Instances fixed = is_lowest(instance) ? all : between(all, 0, level(instance));
      if (!fits(instance, fixed) || !may_be_on(instance, h)) continue;
      const Instances seen = policy.counts_spots ? all : fixed;
      int tier = 0;
      if (policy.avoids_vms) {
        tier = between(all, 0, 0).empty() ? 0 : 1;
      } else if (policy.formula != "UTIL") {
        tier = seen.empty() ? 1 : 0;
      }
      const bool evicts = settings_.saf && !is_lowest(instance) && !fits(instance, all);
      ranked.emplace_back(evicts ? 1 : 0, tier, -weight(instance, policy, used(seen)), h);
    }
    std::sort(ranked.begin(), ranked.end());
    std::vector<HostIndex> hosts;
    for (const auto& one : ranked) hosts.push_back(std::get<3>(one));
    return hosts;
  }

  double weight(InstanceIndex instance, const Policy& policy, const ResourceVector& taken) const {
    const ResourceVector& size = row(instance).resources;
    if (policy.formula == "UTIL") return taken.vcpus;
    if (policy.formula == "COS") return cosine_score(size, settings_.host - taken);
    return static_cast<double>(diagonal_gain(size, taken, settings_.host));
  }

  /// For each lower level in order, as if everything below it were gone.
  Victims choose(InstanceIndex instance, const Instances& host) const {
    Victims victims{.possible = true};
    Instances left = host;
    for (std::size_t victim = level(instance) + 1; victim < settings_.levels; ++victim) {
      const Instances kept = between(left, 0, victim - 1);
      const Instances of_level = between(left, victim, victim);
      const auto [possible, chosen, score] = take(instance, kept, of_level);
      victims.possible = victims.possible && possible;
      victims.scores.push_back(score);
      for (const InstanceIndex one : chosen) {
        victims.instances.push_back(one);
        std::erase(left, one);
      }
    }
    return victims;
  }

  struct Taken {
    bool possible = false;
    Instances instances{};
    Revenue score = 0;
  };

  /// Which of `candidates` go so that the instance fits beside `kept` and the rest of them. Those
  /// that go are in order of placement.
  Taken take(InstanceIndex instance, const Instances& kept, const Instances& candidates) const {
    const auto fits_without = [&](const Instances& gone) {
      Instances beside = kept;
      for (const InstanceIndex one : candidates) {
        if (std::find(gone.begin(), gone.end(), one) == gone.end()) beside.push_back(one);
      }
      return fits(instance, beside);
    };
    if (settings_.evictor == "LPO" && row(instance).start >= 3 * kDay) {
      return cheapest(instance, candidates, fits_without);
    }
    Taken taken;
    Instances order = candidates;
    if (settings_.evictor == "YJF") std::reverse(order.begin(), order.end());
    for (const InstanceIndex one : order) {
      if (fits_without(taken.instances)) break;
      taken.instances.push_back(one);
    }
    taken.possible = fits_without(taken.instances);
    taken.score = static_cast<Revenue>(taken.instances.size());
    if (settings_.evictor == "YJF") std::reverse(taken.instances.begin(), taken.instances.end());
    return taken;
  }

  /// Every subset: the least loss, then the fewest, then the oldest.
  template <class FitsWithout>
  Taken cheapest(InstanceIndex instance, const Instances& candidates,
                 const FitsWithout& fits_without) const {
    Taken best;
    std::vector<std::size_t> best_positions;
    for (std::size_t subset = 0; subset < (std::size_t{1} << candidates.size()); ++subset) {
      Taken taken{.possible = true};
      std::vector<std::size_t> positions;
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        if ((subset >> i & 1) == 0) continue;
        const WorkloadRow& victim = row(candidates[i]);
        const SimTime life = std::min(victim.end, 90 * kDay) - row(instance).start;
        taken.score += Revenue{victim.resources.vcpus} * std::max(life, SimTime{1}).count();
        taken.instances.push_back(candidates[i]);
        positions.push_back(i);
      }
      if (!fits_without(taken.instances)) continue;
      const auto rank = std::tuple(taken.score, positions.size(), positions);
      const auto best_rank = std::tuple(best.score, best_positions.size(), best_positions);
      if (best.possible && rank >= best_rank) continue;
      best = taken;
      best_positions = positions;
    }
    return best;
  }

  const Workload& workload_;
  const LevelSettings& settings_;
  std::vector<Instances> hosts_;
  LevelOutcome outcome_;
};

}  // namespace

LevelOutcome simulate_levels(const Workload& workload, const LevelSettings& settings) {
  return Simulator(workload, settings).run();
}

}  // namespace cospot::reference
