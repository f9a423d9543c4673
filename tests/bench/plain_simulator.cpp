#include "tests/bench/plain_simulator.hpp"

#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/policy/evictor.hpp"
#include "evictors/registry.hpp"

namespace cospot {
namespace {

struct Amount {
  std::int32_t vcpus = 0;
  std::int32_t memory = 0;

  [[nodiscard]] bool holds(const Amount& need) const {
    return vcpus >= need.vcpus && memory >= need.memory;
  }
};

/// What a request looks at, of every host. The spots themselves are elsewhere, so that a scan
/// streams through little memory.
struct Host {
  Amount free_ignoring_spots;  // what VMs leave free
  Amount free;                 // what VMs and spots leave free
  std::int32_t vms = 0;
  std::int32_t spots = 0;
};

struct Ranked {
  int tier = 0;  // 2 for hosts that SAF prefers, plus 1 for hosts of the weigher's tier
  double weight = 0;
  std::size_t host = 0;

  [[nodiscard]] bool before(const Ranked& other) const {
    if (tier != other.tier) return tier > other.tier;
    if (weight != other.weight) return weight > other.weight;
    return host < other.host;
  }
};

enum class Formula { kUtil, kCos, kDpd };

Formula formula_of(const std::string& policy) {
  if (policy.ends_with("UTIL")) return Formula::kUtil;
  if (policy.ends_with("COS")) return Formula::kCos;
  if (policy.ends_with("DPD")) return Formula::kDpd;
  throw std::invalid_argument("no formula for " + policy);
}

template <Formula kFormula>
double weigh(const Amount& total, const Amount& free, const Amount& need) {
  if constexpr (kFormula == Formula::kUtil) {
    return total.vcpus - free.vcpus;
  } else if constexpr (kFormula == Formula::kCos) {
    const std::int64_t dot = std::int64_t{need.vcpus} * free.vcpus +  //
                             std::int64_t{need.memory} * free.memory;
    const std::int64_t cross = std::int64_t{need.vcpus} * free.memory -  //
                               std::int64_t{need.memory} * free.vcpus;
    return static_cast<double>(dot) / static_cast<double>(dot + std::abs(cross));
  } else {
    const std::int64_t before = std::int64_t{total.vcpus - free.vcpus} * total.memory -
                                std::int64_t{total.memory - free.memory} * total.vcpus;
    const std::int64_t after =
        before + std::int64_t{need.vcpus} * total.memory - std::int64_t{need.memory} * total.vcpus;
    return static_cast<double>(std::abs(before) - std::abs(after));
  }
}

class PlainRun {
 public:
  PlainRun(const EventSchedule& schedule, const RunSettings& settings)
      : schedule_(schedule),
        settings_(settings),
        total_{settings.host.largest_total().vcpus, settings.host.largest_total().memory_mb},
        vm_formula_(formula_of(settings.vm.label)),
        spot_formula_(formula_of(settings.spot.label)),
        spots_avoid_vms_(settings.spot.label.starts_with("vma")),
        lpo_(make_plugin(evictor_registry(), "evictor", "LPO", {})),
        hosts_(settings.hosts, {.free_ignoring_spots = total_, .free = total_}),
        spots_on_(settings.hosts),
        host_of_(schedule.start.size(), kNoHost) {
    result_.hosts = settings.hosts;
    result_.vm_requests = schedule.vm_requests;
    result_.spot_requests = result_.spot_admitted = schedule.spot_requests;
    result_.vm_revenue_requested = result_.vm_revenue = schedule.vm_revenue_requested;
    result_.spot_revenue_requested = result_.spot_revenue = schedule.spot_revenue_requested;
  }

  RunResult run() {
    for (const ScheduledEvent& event : schedule_.events) {
      const ResourceVector& size = schedule_.resources(event);
      const Amount need{size.vcpus, size.memory_mb};
      if (event.is_departure()) {
        depart(event, need);
      } else if (event.is_spot()) {
        arrive_spot(event.instance, need);
      } else {
        arrive_vm(event.instance, need);
      }
    }
    return result_;
  }

 private:
  void arrive_vm(InstanceIndex instance, const Amount& need) {
    const SimTime now = schedule_.start[instance];
    rank_for_vm(need);
    const std::size_t chosen = choose(need, now);
    if (chosen == kNoHost) {
      ++result_.vm_rejected;
      if (!total_.holds(need)) ++result_.vm_too_large;
      result_.vm_revenue -= schedule_.revenue(need.vcpus, now, schedule_.end[instance]);
      return;
    }
    evict(chosen, now);
    Host& host = hosts_[chosen];
    take(host.free_ignoring_spots, need);
    take(host.free, need);
    ++host.vms;
    host_of_[instance] = chosen;
  }

  void arrive_spot(InstanceIndex instance, const Amount& need) {
    const SimTime now = schedule_.start[instance];
    const SimTime end = schedule_.end[instance];
    rank_for_spot(need);
    if (ranked_.empty()) {
      --result_.spot_admitted;
      result_.spot_revenue -= schedule_.revenue(need.vcpus, now, end);
      return;
    }
    const std::size_t chosen = ranked_.front().host;
    take(hosts_[chosen].free, need);
    ++hosts_[chosen].spots;
    spots_on_[chosen].push_back({.instance = instance,
                                 .resources = {need.vcpus, need.memory},
                                 .placed_at = now,
                                 .ends_at = end});
    host_of_[instance] = chosen;
  }

  void depart(const ScheduledEvent& event, const Amount& need) {
    if (host_of_[event.instance] == kNoHost) return;
    const std::size_t index = std::exchange(host_of_[event.instance], kNoHost);
    Host& host = hosts_[index];
    give(host.free, need);
    if (event.is_spot()) {
      --host.spots;
      std::erase_if(spots_on_[index],
                    [&](const RunningSpot& s) { return s.instance == event.instance; });
    } else {
      give(host.free_ignoring_spots, need);
      --host.vms;
    }
  }

  void rank_for_vm(const Amount& need) {
    const auto rank_by = [&]<Formula kFormula>() {
      keep_best(settings_.otn.otn(), [&](const Host& host, Ranked& ranked) {
        if (!host.free_ignoring_spots.holds(need)) return false;
        const bool in_tier = kFormula != Formula::kUtil && host.vms > 0;
        ranked.tier = (settings_.saf && host.free.holds(need) ? 2 : 0) + (in_tier ? 1 : 0);
        ranked.weight = weigh<kFormula>(total_, host.free_ignoring_spots, need);
        return true;
      });
    };
    with_formula(vm_formula_, rank_by);
  }

  void rank_for_spot(const Amount& need) {
    const auto rank_by = [&]<Formula kFormula>() {
      keep_best(1, [&](const Host& host, Ranked& ranked) {
        if (!host.free.holds(need)) return false;
        const bool in_tier = spots_avoid_vms_
                                 ? host.vms == 0
                                 : kFormula != Formula::kUtil && (host.vms > 0 || host.spots > 0);
        ranked.tier = in_tier ? 1 : 0;
        ranked.weight = weigh<kFormula>(total_, host.free, need);
        return true;
      });
    };
    with_formula(spot_formula_, rank_by);
  }

  template <class Rank>
  static void with_formula(Formula formula, const Rank& rank) {
    if (formula == Formula::kUtil) {
      rank.template operator()<Formula::kUtil>();
    } else if (formula == Formula::kCos) {
      rank.template operator()<Formula::kCos>();
    } else {
      rank.template operator()<Formula::kDpd>();
    }
  }

  /// The best `most` hosts of those that `look` passes, in order, in ranked_.
  template <class Look>
  void keep_best(std::size_t most, const Look& look) {
    ranked_.clear();
    Ranked ranked;
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      ranked.host = i;
      if (!look(hosts_[i], ranked)) continue;
      if (ranked_.size() == most) {
        if (!ranked.before(ranked_.back())) continue;
        ranked_.pop_back();
      }
      ranked_.push_back(ranked);
      for (std::size_t k = ranked_.size() - 1; k > 0 && ranked_[k].before(ranked_[k - 1]); --k) {
        std::swap(ranked_[k], ranked_[k - 1]);
      }
    }
  }

  /// The offered host whose evictions score least, with its victims in victims_.
  std::size_t choose(const Amount& need, SimTime now) {
    std::size_t chosen = kNoHost;
    double least = 0;
    for (const Ranked& offered : ranked_) {
      const double score = plan(offered.host, need, now);
      if (chosen == kNoHost || score < least) {
        chosen = offered.host;
        least = score;
        victims_ = plan_.victims;
      }
      if (least == 0) break;
    }
    return chosen;
  }

  double plan(std::size_t host, const Amount& need, SimTime now) {
    plan_.victims.clear();
    const Amount& free = hosts_[host].free;
    const std::vector<RunningSpot>& spots = spots_on_[host];
    Amount missing{need.vcpus - free.vcpus, need.memory - free.memory};
    if (missing.vcpus <= 0 && missing.memory <= 0) return 0;
    if (settings_.evictor.label == "LPO") {
      lpo_->make_plan({spots, {missing.vcpus, missing.memory}, now}, kNoScoreLimit, plan_);
      return plan_.score;
    }
    for (std::uint32_t i = 0; missing.vcpus > 0 || missing.memory > 0; ++i) {
      missing.vcpus -= spots[i].resources.vcpus;
      missing.memory -= spots[i].resources.memory_mb;
      plan_.victims.push_back(i);
    }
    return static_cast<double>(plan_.victims.size());
  }

  void evict(std::size_t host, SimTime now) {
    std::vector<RunningSpot>& spots = spots_on_[host];
    for (std::size_t i = victims_.size(); i-- > 0;) {
      const RunningSpot spot = spots[victims_[i]];
      spots.erase(spots.begin() + victims_[i]);
      host_of_[spot.instance] = kNoHost;
      --hosts_[host].spots;
      give(hosts_[host].free, {spot.resources.vcpus, spot.resources.memory_mb});
      ++result_.evictions;
      result_.spot_revenue -= schedule_.revenue(spot.resources.vcpus, now, spot.ends_at);
    }
    victims_.clear();
  }

  static void take(Amount& free, const Amount& size) {
    free.vcpus -= size.vcpus;
    free.memory -= size.memory;
  }
  static void give(Amount& free, const Amount& size) {
    free.vcpus += size.vcpus;
    free.memory += size.memory;
  }

  static constexpr std::size_t kNoHost = SIZE_MAX;

  const EventSchedule& schedule_;
  const RunSettings& settings_;
  Amount total_;
  Formula vm_formula_;
  Formula spot_formula_;
  bool spots_avoid_vms_;
  std::unique_ptr<Evictor> lpo_;
  std::vector<Host> hosts_;
  std::vector<std::vector<RunningSpot>> spots_on_;  // of each host, oldest placement first
  std::vector<std::size_t> host_of_;                // by instance
  std::vector<Ranked> ranked_;
  EvictionPlan plan_;
  std::vector<std::uint32_t> victims_;
  RunResult result_;
};

}  // namespace

RunResult simulate_plainly(const EventSchedule& schedule, const RunSettings& settings) {
  return PlainRun(schedule, settings).run();
}

}  // namespace cospot
