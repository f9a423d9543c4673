#include "sim_harness/provider/explain/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <typeinfo>
#include <utility>

#include "core/errors.hpp"
#include "core/handshake/handshake.hpp"
#include "filters/registry.hpp"
#include "sim_harness/data/workloads/rounded_days.hpp"
#include "sim_harness/data/workloads/window.hpp"

namespace cospot {
namespace {

/// A filter does not know its name; the registry row that makes the same type does.
std::string name_of_filter(const Filter& filter) {
  for (const RegistryEntry<Filter>& entry : filter_registry()) {
    const auto made = entry.make(PluginOptions(std::string(entry.info.name)));
    const Filter& candidate = *made;
    if (typeid(candidate) == typeid(filter)) return std::string(entry.info.name);
  }
  return "filter";
}

std::string_view tier_text(Tier tier) {
  switch (tier) {
    case Tier::kNone:
      return "";
    case Tier::kHoldsVm:
      return "holds a VM";
    case Tier::kHoldsInstance:
      return "holds a VM or spot";
    case Tier::kHoldsNoVm:
      return "holds no VM";
  }
  return "";
}

/// Fills in what the handshake does with the hosts, which stand in rank order.
class HandshakeWatch : public HandshakeObserver {
 public:
  static constexpr bool kSeesEveryPlan = true;

  explicit HandshakeWatch(Explanation& told) : told_(&told) {}

  void offered(const Offer& offer) {
    told_->offered = offer.hosts.size();
    for (std::size_t i = 0; i < told_->offered; ++i) {
      ExplainedHost& told = told_->hosts[i];
      if (told.ranked.host != offer.hosts[i].host) {
        throw std::logic_error(
            fmt::format("{} has rank {}, but is not offered in this place", told.name, told.rank));
      }
      told.place_in_offer = i + 1;
    }
  }

  void considered(HostIndex /*host*/, std::span<const RunningSpot> spots,
                  const EvictionPlan* plan) {
    ExplainedHost& told = told_->hosts[considered_++];  // in the order of the offer
    if (plan == nullptr) return;
    told.has_plan = true;
    told.score = plan->score;
    for (const std::uint32_t victim : plan->victims) told.victims.push_back(spots[victim]);
  }

 private:
  Explanation* told_;
  std::size_t considered_ = 0;
};

/// Fills in an explanation, step by step as the chain and the handshake go.
class Explainer {
 public:
  Explainer(const ProviderHosts& hosts, const Request& request, const RunSettings& settings)
      : hosts_(hosts),
        table_(hosts.table_for(request)),
        view_(table_.view()),
        chain_(&hosts.chain_for(request)) {
    told_.request = request;
    told_.level = hosts.levels().of(request);
    told_.settings = settings;
    told_.largest_total = table_.largest_total();
  }

  Explanation explain() {
    describe_hosts();
    ask_filters();
    describe_tiers();
    rank_hosts();
    ask_weighers();
    told_.request.is_spot() ? choose_first() : choose_from_offer();
    return std::move(told_);
  }

 private:
  void describe_hosts() {
    told_.hosts.resize(table_.size());
    for (HostIndex host = 0; host < table_.size(); ++host) {
      ExplainedHost& told = told_.hosts[host];
      told.ranked.host = host;
      told.name = table_.name(host);
      told.num_vms = view_[host].num_vms();
      told.num_spots = view_[host].num_spots();
      told.free_ignoring_spots = table_.free(host, Sees::kVms);
      told.free = table_.free(host, Sees::kVmsAndSpots);
    }
  }

  void ask_filters() {
    std::vector<HostIndex> all(told_.hosts.size());
    for (HostIndex host = 0; host < all.size(); ++host) all[host] = host;
    std::vector<std::uint8_t> passes(all.size());
    const std::vector<FilterSpec>& own = told_.chain().filters;  // the chain's last ones
    const std::size_t first_own = chain_->filters().size() - own.size();
    for (const std::unique_ptr<Filter>& filter : chain_->filters()) {
      const std::size_t position = told_.filters.size();
      told_.filters.push_back(position < first_own ? name_of_filter(*filter)
                                                   : own[position - first_own].name);
      told_.filter_modes.push_back(filter->mode());
      if (filter->mode() == FilterMode::kDrop && !filter->needs_room_beside().has_value()) {
        told_.needs_room_only = false;
        if (position < first_own) told_.has_placement_filters = true;
      }
      filter->filter_all(view_, all, told_.request, passes);
      for (const HostIndex host : all) told_.hosts[host].passes.push_back(passes[host] != 0);
    }
  }

  void describe_tiers() {
    for (std::size_t i = 0; i < told_.filters.size(); ++i) {
      if (told_.filter_modes[i] == FilterMode::kDrop) continue;
      told_.tiers.push_back(fmt::format("passes {}", told_.filters[i]));
    }
    for (const Chain::WeighedBy& by : chain_->weighers()) {
      if (by.weigher->tier() != Tier::kNone)
        told_.tiers.emplace_back(tier_text(by.weigher->tier()));
    }
  }

  void rank_hosts() {
    std::vector<RankedHost> ranked;
    chain_->weigh(view_, told_.request, scratch_, ranked);
    told_.feasible = ranked.size();
    std::sort(ranked.begin(), ranked.end(),
              [](const RankedHost& a, const RankedHost& b) { return a.ranks_before(b); });
    for (std::size_t i = 0; i < ranked.size(); ++i) {
      ExplainedHost& told = told_.hosts[ranked[i].host];
      told.ranked = ranked[i];
      told.rank = i + 1;
    }
  }

  /// Runs while hosts are still in the order of their index.
  void ask_weighers() {
    const std::span<const Chain::WeighedBy> weighers = chain_->weighers();
    const auto is_bounded = [](const Weigher& weigher) {
      return weigher.minval().has_value() || weigher.maxval().has_value();
    };
    told_.weights_are_summed =
        weighers.size() != 1 || weighers[0].multiplier <= 0 || is_bounded(*weighers[0].weigher);
    const std::vector<HostIndex>& candidates = scratch_.candidates;
    std::vector<double> weights(candidates.size());
    for (const Chain::WeighedBy& by : weighers) {
      by.weigher->weigh_all(view_, candidates, told_.request, weights);
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        told_.hosts[candidates[i]].weights.push_back(weights[i]);
      }
      if (!told_.weights_are_summed) continue;
      normalise_weights(weights, *by.weigher);
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        // Nova weighs no single host.
        const double part = candidates.size() == 1 ? 0 : by.multiplier * weights[i];
        told_.hosts[candidates[i]].parts.push_back(part);
      }
    }
    check_weights();
    const auto rank_of = [](const ExplainedHost& host) {
      return host.rank == 0 ? SIZE_MAX : host.rank;
    };
    std::stable_sort(
        told_.hosts.begin(), told_.hosts.end(),
        [&](const ExplainedHost& a, const ExplainedHost& b) { return rank_of(a) < rank_of(b); });
  }

  void check_weights() const {
    for (const HostIndex candidate : scratch_.candidates) {
      const ExplainedHost& told = told_.hosts[candidate];
      double sum = 0;
      for (const double part : told_.weights_are_summed ? told.parts : told.weights) sum += part;
      if (sum != told.ranked.weight) {
        throw std::logic_error(fmt::format("{} weighs {} in the chain, but its weighers say {}",
                                           told.name, told.ranked.weight, sum));
      }
    }
  }

  void choose_first() {
    if (told_.feasible > 0) told_.winner = told_.hosts.front().ranked.host;
  }

  /// The handshake itself, of a ranking made anew.
  void choose_from_offer() {
    const Allocator& allocator = hosts_.allocator();
    const std::unique_ptr<HostRanking> ranking = chain_->make_scan(table_);
    Handshake handshake(*allocator.evictor, allocator.otn, hosts_.levels());
    const auto spots_of = [this](HostIndex host) {
      return hosts_.displaceable_for(told_.request, host);
    };
    told_.winner =
        handshake
            .answer(table_, *ranking, told_.request, VmLoad(hosts_.table()).of_scarcest(), spots_of,
                    HandshakeWatch(told_))
            .host.host;
  }

  const ProviderHosts& hosts_;
  const HostTable& table_;
  HostView view_;
  const Chain* chain_;
  ChainScratch scratch_;
  Explanation told_;
};

}  // namespace

const ExplainedHost* Explanation::winning_host() const {
  const auto found = std::find_if(hosts.begin(), hosts.end(), [this](const ExplainedHost& host) {
    return host.ranked.host == winner;
  });
  return found == hosts.end() ? nullptr : &*found;
}

namespace {

void require_in_window(const Workload& workload, const WorkloadRow& row) {
  if (starts_in_time(row, workload.window)) return;
  throw InputError(fmt::format(
      "--explain {}: it starts after {} days, but the window of workload '{}' ends after {}, so it "
      "is left out; expected a request before that, or a longer window_days",
      row.id, rounded_days_text(row.start), workload.name, rounded_days_text(workload.window)));
}

}  // namespace

InstanceIndex find_request(const Workload& workload, std::string_view id) {
  const std::vector<WorkloadRow>& rows = workload.rows;
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const WorkloadRow& row) { return row.id == id; });
  if (found != rows.end()) {
    require_in_window(workload, *found);
    return static_cast<InstanceIndex>(found - rows.begin());
  }
  throw InputError(fmt::format(
      "--explain {}: none of the {} requests of workload '{}' has this id; {}", id, rows.size(),
      workload.name,
      rows.empty() ? std::string("it is empty")
                   : fmt::format("its ids look like '{}' (the first) and '{}' (the last)",
                                 rows.front().id, rows.back().id)));
}

Explanation explain_next(const SimulationEngine& engine, const RunSettings& settings) {
  return Explainer(engine.datacenter(), engine.next_request(), settings).explain();
}

void ExplainWatch::deciding(const ProviderHosts& hosts, const Request& request) {
  if (request.instance == instance_ && !explanation_) {
    explanation_ = Explainer(hosts, request, settings_).explain();
  }
  if (next_ != nullptr) next_->deciding(hosts, request);
}

void ExplainWatch::decided(const Request& request, const Choice& choice) {
  if (next_ != nullptr) next_->decided(request, choice);
  if (request.instance != instance_ || std::exchange(is_decided_, true)) return;
  std::vector<InstanceIndex> victims;
  if (const ExplainedHost* winner = explanation_->winning_host()) {
    for (const RunningSpot& victim : winner->victims) victims.push_back(victim.instance);
  }
  const HostIndex host = choice.has_host() ? choice.host.host : kNoHost;
  if (host == explanation_->winner && std::ranges::equal(choice.victims, victims)) return;
  throw std::logic_error(
      fmt::format("instance {} was put on host {}, evicting {}; explained were host {}, "
                  "evicting {}",
                  instance_, host, choice.victims.size(), explanation_->winner, victims.size()));
}

void decide_as_explained(SimulationEngine& engine, const EventSchedule& schedule,
                         const Explanation& explanation, RunObserver* observer) {
  // The engine pauses before arrivals only, so it is let run to the next one.
  PauseAt pause;
  for (std::size_t i = engine.position() + 1; i < schedule.events.size(); ++i) {
    if (schedule.events[i].is_departure()) continue;
    pause.arrival = schedule.events[i].instance;
    break;
  }
  ExplainWatch watch(explanation, observer);
  engine.set_observer(&watch);
  engine.run(pause);
  engine.set_observer(observer);
}

}  // namespace cospot
