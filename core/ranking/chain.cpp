#include "core/ranking/chain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/errors.hpp"
#include "core/ranking/batch_ranking.hpp"
#include "core/ranking/constrained_ranking.hpp"

namespace cospot {
namespace {

/// Drops all but the best, at most `most` of them, and puts them in order.
void keep_best(std::vector<RankedHost>& ranked, std::size_t most) {
  most = std::min(most, ranked.size());
  const auto end = ranked.begin() + static_cast<std::ptrdiff_t>(most);
  std::partial_sort(ranked.begin(), end, ranked.end(),
                    [](const RankedHost& a, const RankedHost& b) { return a.ranks_before(b); });
  ranked.erase(end, ranked.end());
}

}  // namespace

void normalise_weights(std::span<double> weights, const Weigher& weigher) {
  if (weights.empty()) return;
  const std::optional<double> lowest = weigher.minval();
  const std::optional<double> highest = weigher.maxval();
  double least = std::numeric_limits<double>::infinity();
  double greatest = -least;
  for (double& weight : weights) {
    if (lowest) weight = std::max(weight, *lowest);
    if (highest) weight = std::min(weight, *highest);
    least = std::min(least, weight);
    greatest = std::max(greatest, weight);
  }
  const double minval = lowest.value_or(least);
  const double range = highest.value_or(greatest) - minval;
  for (double& weight : weights) weight = range == 0 ? 0 : (weight - minval) / range;
}

Chain::Chain(std::vector<std::unique_ptr<Filter>> filters, std::vector<WeighedBy> weighers)
    : filters_(std::move(filters)), weighers_(std::move(weighers)) {}

bool Chain::ranks_by_raw_weights() const {
  if (weighers_.size() != 1 || weighers_[0].multiplier <= 0) return false;
  const Weigher& weigher = *weighers_[0].weigher;
  return !weigher.minval().has_value() && !weigher.maxval().has_value();
}

void Chain::keep_feasible(const HostView& hosts, const Request& request,
                          ChainScratch& scratch) const {
  for (const std::unique_ptr<Filter>& filter : filters_) {
    if (filter->mode() == FilterMode::kPrefer) continue;
    scratch.passes.resize(scratch.candidates.size());
    filter->filter_all(hosts, scratch.candidates, request, scratch.passes);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < scratch.candidates.size(); ++i) {
      if (scratch.passes[i] != 0) scratch.candidates[kept++] = scratch.candidates[i];
    }
    scratch.candidates.resize(kept);
  }
}

void Chain::add_tiers(const HostView& hosts, const Request& request, ChainScratch& scratch,
                      std::vector<RankedHost>& ranked) const {
  for (const std::unique_ptr<Filter>& filter : filters_) {
    if (filter->mode() != FilterMode::kPrefer) continue;
    scratch.passes.resize(scratch.candidates.size());
    filter->filter_all(hosts, scratch.candidates, request, scratch.passes);
    for (std::size_t i = 0; i < ranked.size(); ++i) {
      ranked[i].tiers = 2 * ranked[i].tiers + scratch.passes[i];
    }
  }
  for (const WeighedBy& by : weighers_) {
    if (by.weigher->tier() == Tier::kNone) continue;
    for (RankedHost& host : ranked) {
      host.tiers = 2 * host.tiers + (is_in_tier(by.weigher->tier(), hosts[host.host]) ? 1 : 0);
    }
  }
}

void Chain::add_weights(const HostView& hosts, const Request& request, ChainScratch& scratch,
                        std::vector<RankedHost>& ranked) const {
  const bool raw = ranks_by_raw_weights();
  if (!raw && ranked.size() <= 1) return;  // Nova weighs no single host: its weight stays 0
  scratch.weights.resize(scratch.candidates.size());
  for (const WeighedBy& by : weighers_) {
    by.weigher->weigh_all(hosts, scratch.candidates, request, scratch.weights);
    for (const double weight : scratch.weights) {
      if (!std::isfinite(weight)) throw PolicyError("a weigher returned NaN or infinity");
    }
    if (!raw) normalise_weights(scratch.weights, *by.weigher);
    for (std::size_t i = 0; i < ranked.size(); ++i) {
      ranked[i].weight += raw ? scratch.weights[i] : by.multiplier * scratch.weights[i];
    }
  }
}

void Chain::weigh(const HostView& hosts, const Request& request, ChainScratch& scratch,
                  std::vector<RankedHost>& ranked) const {
  scratch.candidates.resize(hosts.size());
  std::iota(scratch.candidates.begin(), scratch.candidates.end(), HostIndex{0});
  weigh_candidates(hosts, request, scratch, ranked);
}

void Chain::weigh(const HostView& hosts, std::span<const HostIndex> candidates,
                  const Request& request, ChainScratch& scratch,
                  std::vector<RankedHost>& ranked) const {
  scratch.candidates.assign(candidates.begin(), candidates.end());
  weigh_candidates(hosts, request, scratch, ranked);
}

void Chain::rank(const HostView& hosts, const Request& request, std::size_t most,
                 ChainScratch& scratch, std::vector<RankedHost>& ranked) const {
  weigh(hosts, request, scratch, ranked);
  keep_best(ranked, most);
}

void Chain::rank(const HostView& hosts, std::span<const HostIndex> candidates,
                 const Request& request, ChainScratch& scratch,
                 std::vector<RankedHost>& ranked) const {
  weigh(hosts, candidates, request, scratch, ranked);
  keep_best(ranked, ranked.size());
}

void Chain::weigh_candidates(const HostView& hosts, const Request& request, ChainScratch& scratch,
                             std::vector<RankedHost>& ranked) const {
  keep_feasible(hosts, request, scratch);
  ranked.clear();
  for (const HostIndex host : scratch.candidates) ranked.push_back({.host = host});
  add_tiers(hosts, request, scratch, ranked);
  add_weights(hosts, request, scratch, ranked);
}

std::optional<Chain::Order> Chain::order() const {
  if (!ranks_by_raw_weights()) return std::nullopt;
  Order order;
  std::optional<Sees> feasible;
  for (const std::unique_ptr<Filter>& filter : filters_) {
    const std::optional<Sees> room = filter->needs_room_beside();
    if (filter->mode() == FilterMode::kPrefer) {
      if (room != Sees::kVmsAndSpots || order.prefers_spot_free) return std::nullopt;
      order.prefers_spot_free = true;
    } else if (filter->scope() != FilterScope::kAny) {
      order.is_constrained = true;
      if (filter->scope() == FilterScope::kPlace) order.by_place.push_back(filter.get());
    } else {
      if (!room.has_value() || feasible.has_value()) return std::nullopt;
      feasible = room;
    }
  }
  if (!feasible.has_value()) return std::nullopt;
  order.feasible = *feasible;
  return order;
}

std::unique_ptr<HostRanking> Chain::make_ranking(const HostTable& hosts) const {
  if (std::optional<Order> order = this->order()) {
    const Weigher& weigher = *weighers_[0].weigher;
    if (!order->is_constrained) {
      auto ranking = weigher.make_ranking(hosts, order->feasible, order->prefers_spot_free);
      if (ranking != nullptr) return ranking;
    } else {
      auto ranking = weigher.make_place_ranking(hosts, order->feasible, order->prefers_spot_free);
      if (ranking != nullptr) {
        return std::make_unique<ConstrainedRanking>(*this, hosts, std::move(order->by_place),
                                                    std::move(ranking));
      }
    }
  }
  return make_scan(hosts);
}

std::unique_ptr<HostRanking> Chain::make_scan(const HostTable& hosts) const {
  return std::make_unique<BatchRanking>(*this, hosts);
}

}  // namespace cospot
