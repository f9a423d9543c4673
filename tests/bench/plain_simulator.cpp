#include "tests/bench/plain_simulator.hpp"

#include <array>
#include <bit>
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

/// Hosts are scored a block at a time, so that the compiler makes one loop of vectors of it.
constexpr std::size_t kBlock = 64;

/// An amount of every host. The last block is filled with hosts that hold nothing.
struct Columns {
  Columns(std::size_t hosts, const Amount& amount)
      : vcpus(hosts, amount.vcpus), memory(hosts, amount.memory) {
    for (auto* column : {&vcpus, &memory}) {
      column->resize((hosts + kBlock - 1) / kBlock * kBlock, -1);
    }
  }
  [[nodiscard]] Amount operator[](std::size_t host) const { return {vcpus[host], memory[host]}; }
  void add(std::size_t host, const Amount& size, int times) {
    vcpus[host] += times * size.vcpus;
    memory[host] += times * size.memory;
  }

  std::vector<std::int32_t> vcpus;
  std::vector<std::int32_t> memory;
};

enum class Formula { kUtil, kCos, kDpd };

Formula formula_of(const std::string& policy) {
  if (policy.ends_with("UTIL")) return Formula::kUtil;
  if (policy.ends_with("COS")) return Formula::kCos;
  if (policy.ends_with("DPD")) return Formula::kDpd;
  throw std::invalid_argument("no formula for " + policy);
}

struct Scan {
  Formula formula;
  std::size_t most;  // hosts to offer
  Amount total;
  Amount need;
  const Columns& usable;
  const Columns* free;        // if set, hosts that need no eviction come first
  const std::int32_t* count;  // if set, hosts with such instances come first, or those without
  std::int32_t first_without = 0;
};

struct Ranked {
  std::int64_t score = 0;
  std::size_t host = 0;
};

/// 0 for a host on which the request does not fit; else above 0, in the order of tiers and, within
/// one, of weights, which differ by less than a tier adds.
template <Formula kFormula, bool kSaf, bool kTiers>
[[gnu::always_inline]] inline auto score_of(const Scan& scan, std::size_t i) {
  const Amount need = scan.need;
  const Amount total = scan.total;
  const Amount free{scan.usable.vcpus[i], scan.usable.memory[i]};
  // Arithmetic instead of branches, of which the compiler makes no vectors: 1 or 0.
  const std::int32_t fits =
      (free.vcpus >= need.vcpus ? 1 : 0) * (free.memory >= need.memory ? 1 : 0);
  std::int32_t tier = 1;
  if constexpr (kSaf) {
    tier +=
        (scan.free->vcpus[i] >= need.vcpus ? 2 : 0) * (scan.free->memory[i] >= need.memory ? 1 : 0);
  }
  if constexpr (kTiers) tier += (scan.count[i] > 0 ? 1 : 0) ^ scan.first_without;
  if constexpr (kFormula == Formula::kCos) {
    const std::int32_t dot = need.vcpus * free.vcpus + need.memory * free.memory;
    const std::int32_t cross = need.vcpus * free.memory - need.memory * free.vcpus;
    const double weight = static_cast<double>(dot) / static_cast<double>(dot + std::abs(cross));
    // Numbers above 0 are in the order of their bits, of which the upper ones are the exponent.
    return -std::int64_t{fits} & (std::bit_cast<std::int64_t>(weight) + (std::int64_t{tier} << 58));
  } else {
    std::int32_t weight = total.vcpus - free.vcpus;
    if constexpr (kFormula == Formula::kDpd) {
      const std::int32_t before =
          weight * total.memory - (total.memory - free.memory) * total.vcpus;
      const std::int32_t shift = need.vcpus * total.memory - need.memory * total.vcpus;
      weight = std::abs(before) - std::abs(before + shift);
    }
    return fits * (weight + tier * (1 << 28));
  }
}

/// The best hosts in order: `ranked` is empty at first.
template <bool kBlocks, Formula kFormula, bool kSaf, bool kTiers>
[[gnu::always_inline]] inline void rank(const Scan& scan, std::vector<Ranked>& ranked) {
  using Score = decltype(score_of<kFormula, kSaf, kTiers>(scan, 0));
  Score bar = 0;
  std::size_t best_block = 0;
  const auto consider = [&](Score score, std::size_t host) {
    if (!(score > bar)) return;
    if (ranked.size() == scan.most) ranked.pop_back();
    ranked.push_back({score, host});
    for (std::size_t k = ranked.size() - 1; k > 0 && score > ranked[k - 1].score; --k) {
      std::swap(ranked[k], ranked[k - 1]);
    }
    if (ranked.size() == scan.most) bar = static_cast<Score>(ranked.back().score);
  };
  for (std::size_t first = 0; first < scan.usable.vcpus.size(); first += kBlock) {
    std::array<Score, kBlock> scores;
    if constexpr (kBlocks) {
      Score best = 0;
      for (std::size_t i = 0; i < kBlock; ++i) {
        scores[i] = score_of<kFormula, kSaf, kTiers>(scan, first + i);
        best = best < scores[i] ? scores[i] : best;
      }
      if (!(best > bar)) continue;
      if (scan.most == 1) {  // which of them it is matters only of the last such block
        bar = best;
        best_block = first;
        continue;
      }
    }
    for (std::size_t i = 0; i < kBlock; ++i) {
      if constexpr (kBlocks) {
        consider(scores[i], first + i);
      } else if (scan.usable[first + i].holds(scan.need)) {
        consider(score_of<kFormula, kSaf, kTiers>(scan, first + i), first + i);
      }
    }
  }
  if (kBlocks && scan.most == 1 && bar > 0) {
    std::size_t host = best_block;
    while (score_of<kFormula, kSaf, kTiers>(scan, host) != bar) ++host;
    ranked.push_back({bar, host});
  }
}

template <bool kBlocks, Formula kFormula>
[[gnu::always_inline]] inline void rank(const Scan& scan, std::vector<Ranked>& ranked) {
  if (scan.free != nullptr) {
    if (scan.count != nullptr) return rank<kBlocks, kFormula, true, true>(scan, ranked);
    return rank<kBlocks, kFormula, true, false>(scan, ranked);
  }
  if (scan.count != nullptr) return rank<kBlocks, kFormula, false, true>(scan, ranked);
  return rank<kBlocks, kFormula, false, false>(scan, ranked);
}

template <bool kBlocks>
[[gnu::always_inline]] inline void rank(const Scan& scan, std::vector<Ranked>& ranked) {
  if (scan.formula == Formula::kUtil) return rank<kBlocks, Formula::kUtil>(scan, ranked);
  if (scan.formula == Formula::kCos) return rank<kBlocks, Formula::kCos>(scan, ranked);
  return rank<kBlocks, Formula::kDpd>(scan, ranked);
}

void rank_one_by_one(const Scan& scan, std::vector<Ranked>& ranked) { rank<false>(scan, ranked); }

#ifdef __x86_64__
[[gnu::target_clones("avx512f", "avx2", "default")]]
#endif
void rank_by_blocks(const Scan& scan, std::vector<Ranked>& ranked) {
  rank<true>(scan, ranked);
}

class PlainRun {
 public:
  PlainRun(const EventSchedule& schedule, const RunSettings& settings, bool by_blocks)
      : schedule_(schedule),
        settings_(settings),
        rank_(by_blocks ? rank_by_blocks : rank_one_by_one),
        total_{settings.host.largest_total().vcpus, settings.host.largest_total().memory_mb},
        vm_formula_(formula_of(settings.vm.label)),
        spot_formula_(formula_of(settings.spot.label)),
        spots_avoid_vms_(settings.spot.label.starts_with("vma")),
        lpo_(make_plugin(evictor_registry(), "evictor", "LPO", {})),
        free_ignoring_spots_(settings.hosts, total_),
        free_(settings.hosts, total_),
        vms_(free_.vcpus.size()),
        instances_(free_.vcpus.size()),
        spots_on_(settings.hosts),
        host_of_(schedule.start.size(), kNoHost) {
    // Products of amounts, and the sum of two, are less than a tier then.
    if (std::int64_t{total_.vcpus} * total_.vcpus + std::int64_t{total_.memory} * total_.memory >=
        1 << 27) {
      throw std::invalid_argument("the plain simulator counts in 32 bits: use a smaller host");
    }
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
    rank_for_vm(need, 1);
    std::size_t chosen = choose(need, now);
    // Others are asked only if the best host would evict.
    if (!victims_.empty() && settings_.otn.otn() > 1) {
      rank_for_vm(need, settings_.otn.otn());
      chosen = choose(need, now);
    }
    if (chosen == kNoHost) {
      ++result_.vm_rejected;
      if (!total_.holds(need)) ++result_.vm_too_large;
      result_.vm_revenue -= schedule_.revenue(need.vcpus, now, schedule_.end[instance]);
      return;
    }
    evict(chosen, now);
    free_ignoring_spots_.add(chosen, need, -1);
    ++vms_[chosen];
    hold(chosen, need);
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
    hold(chosen, need);
    spots_on_[chosen].push_back({.instance = instance,
                                 .resources = {need.vcpus, need.memory},
                                 .placed_at = now,
                                 .ends_at = end});
    host_of_[instance] = chosen;
  }

  void depart(const ScheduledEvent& event, const Amount& need) {
    if (host_of_[event.instance] == kNoHost) return;
    const std::size_t index = std::exchange(host_of_[event.instance], kNoHost);
    release(index, need);
    if (event.is_spot()) {
      std::erase_if(spots_on_[index],
                    [&](const RunningSpot& s) { return s.instance == event.instance; });
    } else {
      free_ignoring_spots_.add(index, need, 1);
      --vms_[index];
    }
  }

  void rank_for_vm(const Amount& need, std::size_t most) {
    ranked_.clear();
    rank_({.formula = vm_formula_,
           .most = most,
           .total = total_,
           .need = need,
           .usable = free_ignoring_spots_,
           .free = settings_.saf ? &free_ : nullptr,
           .count = vm_formula_ == Formula::kUtil ? nullptr : vms_.data()},
          ranked_);
  }

  void rank_for_spot(const Amount& need) {
    const std::vector<std::int32_t>& counts = spots_avoid_vms_ ? vms_ : instances_;
    const bool has_tiers = spots_avoid_vms_ || spot_formula_ != Formula::kUtil;
    ranked_.clear();
    rank_({.formula = spot_formula_,
           .most = 1,
           .total = total_,
           .need = need,
           .usable = free_,
           .free = nullptr,
           .count = has_tiers ? counts.data() : nullptr,
           .first_without = spots_avoid_vms_ ? 1 : 0},
          ranked_);
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
    const Amount free = free_[host];
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
      release(host, {spot.resources.vcpus, spot.resources.memory_mb});
      ++result_.evictions;
      result_.spot_revenue -= schedule_.revenue(spot.resources.vcpus, now, spot.ends_at);
    }
    victims_.clear();
  }

  void hold(std::size_t host, const Amount& size) {
    free_.add(host, size, -1);
    ++instances_[host];
  }
  void release(std::size_t host, const Amount& size) {
    free_.add(host, size, 1);
    --instances_[host];
  }

  static constexpr std::size_t kNoHost = SIZE_MAX;

  const EventSchedule& schedule_;
  const RunSettings& settings_;
  void (*rank_)(const Scan&, std::vector<Ranked>&);
  Amount total_;
  Formula vm_formula_;
  Formula spot_formula_;
  bool spots_avoid_vms_;
  std::unique_ptr<Evictor> lpo_;
  Columns free_ignoring_spots_;                     // what VMs leave free
  Columns free_;                                    // what VMs and spots leave free
  std::vector<std::int32_t> vms_;                   // by host
  std::vector<std::int32_t> instances_;             // VMs and spots
  std::vector<std::vector<RunningSpot>> spots_on_;  // of each host, oldest placement first
  std::vector<std::size_t> host_of_;                // by instance
  std::vector<Ranked> ranked_;
  EvictionPlan plan_;
  std::vector<std::uint32_t> victims_;
  RunResult result_;
};

#ifdef __x86_64__
[[gnu::target_clones("avx512f", "avx2", "default")]]
#endif
std::int64_t
count_fitting(const Columns& free, const Amount& need) {
  std::int32_t fitting = 0;
  for (std::size_t i = 0; i < free.vcpus.size(); ++i) {
    fitting += (free.vcpus[i] >= need.vcpus ? 1 : 0) * (free.memory[i] >= need.memory ? 1 : 0);
  }
  return fitting;
}

}  // namespace

std::int64_t pass_over_hosts(const EventSchedule& schedule, std::size_t hosts) {
  const Columns free(hosts, {1, 1});
  std::int64_t fitting = 0;
  for (const ScheduledEvent& event : schedule.events) {
    const ResourceVector& size = schedule.resources(event);
    if (!event.is_departure()) fitting += count_fitting(free, {size.vcpus, size.memory_mb});
  }
  return fitting;
}

RunResult simulate_plainly(const EventSchedule& schedule, const RunSettings& settings,
                           bool by_blocks) {
  return PlainRun(schedule, settings, by_blocks).run();
}

}  // namespace cospot
