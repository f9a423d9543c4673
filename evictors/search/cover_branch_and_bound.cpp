#include "evictors/search/cover_branch_and_bound.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <tuple>

namespace cospot {
namespace {

/// Visits remembered: 2^14 of 40 bytes stay in the second-level cache. A newer one takes the place.
constexpr int kVisitBits = 14;
/// With so few items left, looking a node up costs more than exploring it.
constexpr std::size_t kTooFewToRemember = 3;

/// After so many nodes a search gets a tail of so many sets; when it has looked at kGrowth times as
/// many, one that is larger by as much. To build one takes less time than those nodes did.
constexpr std::int64_t kFirstNodes = 1000;
constexpr std::size_t kFirstTail = 512;
constexpr std::int64_t kGrowth = 4;

constexpr std::array kKeys{CoverKey{&ResourceVector::vcpus, &CoverPrices::per_vcpu},
                           CoverKey{&ResourceVector::memory_mb, &CoverPrices::per_memory_mb},
                           CoverKey{&ResourceVector::disk_gb, &CoverPrices::per_disk_gb}};
/// To look at so many sets of a tail takes as long as to look at a node.
constexpr std::int64_t kSetsPerNode = 16;

constexpr Weight magnitude(Weight weight) { return weight < 0 ? -weight : weight; }

constexpr auto as_tuple(const ResourceVector& amounts) {
  return std::tuple(amounts.vcpus, amounts.memory_mb, amounts.disk_gb);
}

ResourceVector still_missing(const ResourceVector& missing, const ResourceVector& freed) {
  return {std::max(0, missing.vcpus - freed.vcpus),
          std::max(0, missing.memory_mb - freed.memory_mb),
          std::max(0, missing.disk_gb - freed.disk_gb)};
}

/// Multiplicative hashing: odd constants with well-spread bits (the golden ratio and two primes).
std::size_t visit_slot(std::uint32_t depth, const ResourceVector& missing) {
  std::uint64_t hash = static_cast<std::uint64_t>(missing.vcpus) * 0x9E3779B97F4A7C15U;
  hash = (hash ^ (hash >> 32)) + static_cast<std::uint64_t>(missing.memory_mb);
  hash *= 0xC2B2AE3D27D4EB4FU;
  hash = (hash ^ (hash >> 32)) + static_cast<std::uint64_t>(missing.disk_gb);
  hash *= 0x165667B19E3779F9U;
  hash = (hash ^ (hash >> 32)) + depth;
  hash *= 0x9E3779B97F4A7C15U;
  return static_cast<std::size_t>(hash >> (64 - kVisitBits));
}

}  // namespace

void CoverBranchAndBound::assign(std::span<const CoverItem> items, const CoverPrices& prices) {
  bound_count_ = 0;
  nodes_left_ = kMostNodes;
  branches_.clear();
  for (const CoverItem& item : items) branches_.push_back({.item = item});
  add_bound(prices);
  branch_by_last_bound();
}

void CoverBranchAndBound::add_bound(const CoverPrices& prices) {
  bounds_[bound_count_++].prices = prices;
}

void CoverBranchAndBound::branch_by_last_bound() {
  guide_ = bound_count_ - 1;
  const CoverPrices& prices = bounds_[guide_].prices;
  for (Branch& branch : branches_) branch.reduced_weight = prices.reduced_weight(branch.item);
  std::sort(branches_.begin(), branches_.end(), [](const Branch& a, const Branch& b) {
    const Weight a_sure = magnitude(a.reduced_weight);
    const Weight b_sure = magnitude(b.reduced_weight);
    if (a_sure != b_sure) return a_sure > b_sure;
    if (a.reduced_weight != b.reduced_weight) return a.reduced_weight < b.reduced_weight;
    // The dominating item comes first among those to take, the dominated one among the others: then
    // a set that dominance replaces always comes after the one that replaces it.
    const CoverItem& first = a.reduced_weight < 0 ? a.item : b.item;
    const CoverItem& second = a.reduced_weight < 0 ? b.item : a.item;
    if (first.cost != second.cost) return first.cost < second.cost;
    if (first.frees != second.frees) return as_tuple(first.frees) > as_tuple(second.frees);
    return a.item.position < b.item.position;
  });
}

void CoverBranchAndBound::remove(std::uint32_t position) {
  std::erase_if(branches_, [position](const Branch& b) { return b.item.position == position; });
}

void CoverBranchAndBound::prepare(const ResourceVector& missing) {
  const auto count = static_cast<std::uint32_t>(branches_.size());
  rest_.assign(count + 1, {});
  rest_[count].cheapest = std::numeric_limits<std::int64_t>::max() / 2;
  for (std::uint32_t i = count; i-- > 0;) {
    Branch& branch = branches_[i];
    const bool kind_goes_on = i + 1 < count && identical(branch.item, branches_[i + 1].item);
    branch.kind_end = kind_goes_on ? branches_[i + 1].kind_end : i + 1;
    rest_[i] = {.frees = capped_sum(rest_[i + 1].frees, branch.item.frees, missing),
                .cheapest = std::min(rest_[i + 1].cheapest, branch.item.cost)};
  }
  for (Bound& bound : bounds()) {
    bound.rest_gain.assign(count + 1, 0);
    for (std::uint32_t i = count; i-- > 0;) {
      const Weight reduced = bound.prices.reduced_weight(branches_[i].item);
      bound.rest_gain[i] = bound.rest_gain[i + 1] + std::min<Weight>(0, reduced);
    }
  }
  visits_.resize(std::size_t{1} << kVisitBits);
  stamp_ += count + 1;
  taken_.clear();
  deviations_.assign(count / CoverDominance::kWordBits + 1, 0);
  dominance_.clear();
  tail_count_ = 0;
  nodes_ = 0;
  strengthen_at_ = kFirstNodes;
  tail_size_ = kFirstTail;
  at_first_ = missing;
}

bool CoverBranchAndBound::search(const ResourceVector& missing, const CoverTarget& target,
                                 CoverGoal goal, CoverSet& best) {
  prepare(missing);
  goal_ = goal;
  set_target(target);
  best_ = &best;
  found_ = may_have_tied_ = merged_a_tie_ = false;
  explore({.missing = missing});
  return found_;
}

void CoverBranchAndBound::explore(const Node& node) {
  if (nodes_left_ == 0) return;
  --nodes_left_;
  if (++nodes_ == strengthen_at_) strengthen();
  if (node.missing == ResourceVector{}) return accept(node);
  if (!node.missing.fits_in(rest_[node.depth].frees)) return;
  if (beyond_bound(node) || visited_cheaper(node)) return;
  for (const CoverTail& tail : tails()) {
    if (tail.depth() == node.depth) return look_up(node, tail);
  }
  if (branches_[node.depth].kind_end == branches_.size()) return finish(node);
  branch(node);
}

/// Tries what the prices want first.
void CoverBranchAndBound::branch(const Node& node) {
  const bool wanted = branches_[node.depth].reduced_weight < 0;
  const bool may_take = !dominance_.dominated_by_any(node.depth, deviations_);
  const bool may_skip = !dominance_.dominates_any(node.depth, deviations_);
  if (!may_take || !may_skip) note_merged(dominance_.has_equal_costs());
  if (wanted && may_take) take(node);
  if (may_skip && !done()) skip(node);
  if (!wanted && may_take && !done()) take(node);
}

/// A search that takes long gets the means that pay only then.
void CoverBranchAndBound::strengthen() {
  if (tail_count_ == 0) {
    ordered_.clear();
    for (const Branch& branch : branches_) ordered_.push_back(branch.item);
    dominance_.assign(ordered_);
    key_ = dearest_resource();
  }
  CoverTail& tail = tails_[tail_count_++];
  tail.build(ordered_, at_first_, key_->amount, tail_size_);
  tail_size_ *= kGrowth;
  strengthen_at_ = tail_count_ < kMostTails ? strengthen_at_ * kGrowth : kMostNodes + 1;
}

const CoverKey* CoverBranchAndBound::dearest_resource() const {
  const CoverPrices& prices = bounds_[0].prices;
  const auto worth = [&](const CoverKey& key) { return prices.*key.price * at_first_.*key.amount; };
  return &*std::max_element(kKeys.begin(), kKeys.end(), [&](const CoverKey& a, const CoverKey& b) {
    return worth(a) < worth(b);
  });
}

/// Finishes with the best set of the last items. What it frees beyond need costs at least its
/// price, which has to come from what the bound has to spare.
void CoverBranchAndBound::look_up(const Node& node, const CoverTail& tail) {
  const Bound& bound = bounds_[0];
  const Weight spare = bound.limit + bound.prices.per_cost - least_weight(bound, node);
  const Weight price = bound.prices.*key_->price;
  const Weight need = node.missing.*key_->amount;
  const Weight most = need + (price > 0 ? spare / price : kMaxResourceAmount);
  note_merged(dominance_.has_equal_costs());
  const std::size_t before = taken_.size();
  std::int64_t scanned = 0;
  for (const CoverTail::Set& set : tail.from(node.missing.*key_->amount)) {
    if (set.frees.*key_->amount > most || done()) break;
    ++scanned;
    const std::int64_t cost = node.cost + set.cost;
    if (cost > target_.cost + 1 || !node.missing.fits_in(set.frees)) continue;
    for (std::uint32_t items = set.items; items != 0; items &= items - 1) {
      taken_.push_back(node.depth + static_cast<std::uint32_t>(std::countr_zero(items)));
    }
    accept({.depth = node.depth, .missing = {}, .cost = cost});
    taken_.resize(before);
  }
  nodes_left_ = std::max<std::int64_t>(0, nodes_left_ - scanned / kSetsPerNode);
}

/// Only identical items are left: takes as many as it needs.
void CoverBranchAndBound::finish(const Node& node) {
  const CoverItem& item = branches_[node.depth].item;
  Node end = node;
  const std::size_t before = taken_.size();
  for (std::uint32_t i = node.depth; end.missing != ResourceVector{}; ++i) {
    taken_.push_back(i);
    end.missing = still_missing(end.missing, item.frees);
    end.cost += item.cost;
  }
  accept(end);
  taken_.resize(before);
}

void CoverBranchAndBound::take(const Node& node) {
  const CoverItem& item = branches_[node.depth].item;
  const bool deviates = branches_[node.depth].reduced_weight >= 0;
  taken_.push_back(node.depth);
  if (deviates) flip_deviation(node.depth);
  explore({.depth = node.depth + 1,
           .missing = still_missing(node.missing, item.frees),
           .cost = node.cost + item.cost});
  if (deviates) flip_deviation(node.depth);
  taken_.pop_back();
}

void CoverBranchAndBound::skip(const Node& node) {
  const bool deviates = branches_[node.depth].reduced_weight < 0;
  if (deviates) flip_deviation(node.depth);
  explore({.depth = branches_[node.depth].kind_end, .missing = node.missing, .cost = node.cost});
  if (deviates) flip_deviation(node.depth);
}

void CoverBranchAndBound::accept(const Node& node) {
  if (node.cost > target_.cost || count() > target_.count) {
    may_have_tied_ |= node.cost == target_.cost + 1;
    return;
  }
  found_ = true;
  may_have_tied_ = merged_a_tie_;
  best_->items.clear();
  for (const std::uint32_t depth : taken_) best_->items.push_back(branches_[depth].item);
  best_->cost = node.cost;
  if (goal_ == CoverGoal::kLeastCost) set_target({node.cost - 1, target_.count});
}

void CoverBranchAndBound::set_target(const CoverTarget& target) {
  target_ = target;
  for (Bound& bound : bounds()) bound.limit = bound.prices.weight(target.cost, target.count);
}

Weight CoverBranchAndBound::least_weight(const Bound& bound, const Node& node) const {
  return bound.prices.weight(node.cost, count()) + bound.prices.worth(node.missing) +
         bound.rest_gain[node.depth];
}

bool CoverBranchAndBound::beyond_bound(const Node& node) {
  // The rest needs at least one more item.
  const std::int64_t cost = node.cost + rest_[node.depth].cheapest;
  if (cost > target_.cost + 1 || count() >= target_.count) return true;
  bool beyond = cost > target_.cost;
  for (const Bound& bound : bounds()) {
    const Weight least = least_weight(bound, node);
    if (least > bound.limit + bound.prices.per_cost) return true;
    beyond |= least > bound.limit;
  }
  may_have_tied_ |= beyond;
  return beyond;
}

bool CoverBranchAndBound::visited_cheaper(const Node& node) {
  if (branches_.size() - node.depth < kTooFewToRemember) return false;
  Visit& visit = visits_[visit_slot(node.depth, node.missing)];
  const std::uint64_t stamp = stamp_ + node.depth;
  const bool counts = goal_ != CoverGoal::kLeastCost;
  if (visit.stamp == stamp && visit.missing == node.missing && visit.cost <= node.cost &&
      (!counts || visit.count <= count())) {
    note_merged(visit.cost == node.cost);
    return true;
  }
  visit = {stamp, node.missing, node.cost, count()};
  return false;
}

}  // namespace cospot
