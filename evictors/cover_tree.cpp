#include "evictors/cover_tree.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace cospot {
namespace {

/// Visits remembered: 2^14 of 40 bytes stay in the second-level cache. A newer one takes the place.
constexpr int kVisitBits = 14;
/// With so few items left, looking a node up costs more than exploring it.
constexpr std::size_t kTooFewToRemember = 3;

constexpr Weight magnitude(Weight weight) { return weight < 0 ? -weight : weight; }

constexpr auto as_tuple(const ResourceVector& amounts) {
  return std::tuple(amounts.vcpus, amounts.memory_mb, amounts.disk_gb);
}

ResourceAmount capped_sum(ResourceAmount a, ResourceAmount b, ResourceAmount cap) {
  return static_cast<ResourceAmount>(std::min<std::int64_t>(std::int64_t{a} + b, cap));
}

ResourceVector capped_sum(const ResourceVector& a, const ResourceVector& b,
                          const ResourceVector& cap) {
  return {capped_sum(a.vcpus, b.vcpus, cap.vcpus),
          capped_sum(a.memory_mb, b.memory_mb, cap.memory_mb),
          capped_sum(a.disk_gb, b.disk_gb, cap.disk_gb)};
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

void CoverTree::assign(std::span<const CoverItem> items, const CoverPrices& prices) {
  bounds_[0].prices = prices;
  bound_count_ = 1;
  nodes_left_ = kUnlimited;
  branches_.clear();
  for (const CoverItem& item : items) branches_.push_back({.item = item});
  sort_branches(prices);
}

void CoverTree::add_bound(const CoverPrices& prices) { bounds_[bound_count_++].prices = prices; }

void CoverTree::sort_branches(const CoverPrices& prices) {
  for (Branch& branch : branches_) branch.reduced_weight = prices.reduced_weight(branch.item);
  std::sort(branches_.begin(), branches_.end(), [](const Branch& a, const Branch& b) {
    const Weight a_sure = magnitude(a.reduced_weight);
    const Weight b_sure = magnitude(b.reduced_weight);
    if (a_sure != b_sure) return a_sure > b_sure;
    if (a.item.cost != b.item.cost) return a.item.cost > b.item.cost;
    if (a.item.frees != b.item.frees) return as_tuple(a.item.frees) > as_tuple(b.item.frees);
    return a.item.position < b.item.position;
  });
}

void CoverTree::remove(std::uint32_t position) {
  std::erase_if(branches_, [position](const Branch& b) { return b.item.position == position; });
}

void CoverTree::prepare(const ResourceVector& missing) {
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
}

bool CoverTree::search(const ResourceVector& missing, const CoverTarget& target, CoverGoal goal,
                       CoverSet& best) {
  prepare(missing);
  goal_ = goal;
  set_target(target);
  best_ = &best;
  found_ = may_have_tied_ = merged_a_tie_ = false;
  explore({.missing = missing});
  return found_;
}

void CoverTree::explore(Node node) {
  for (;;) {
    if (nodes_left_ == 0) return;
    --nodes_left_;
    if (node.missing == ResourceVector{}) return accept(node);
    if (!node.missing.fits_in(rest_[node.depth].frees)) return;
    if (beyond_bound(node) || visited_cheaper(node)) return;
    const Branch& branch = branches_[node.depth];
    if (branch.kind_end == branches_.size()) return finish(node);
    const Node without{.depth = branch.kind_end, .missing = node.missing, .cost = node.cost};
    const bool take_first = branch.reduced_weight < 0;
    if (take_first) {
      take(node);
    } else {
      explore(without);
    }
    if (found_ && goal_ == CoverGoal::kAnySet) return;
    if (!take_first) return take(node);
    node = without;
  }
}

/// Only identical items are left: takes as many as it needs.
void CoverTree::finish(const Node& node) {
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

void CoverTree::take(const Node& node) {
  const CoverItem& item = branches_[node.depth].item;
  taken_.push_back(node.depth);
  explore({.depth = node.depth + 1,
           .missing = still_missing(node.missing, item.frees),
           .cost = node.cost + item.cost});
  taken_.pop_back();
}

void CoverTree::accept(const Node& node) {
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

void CoverTree::set_target(const CoverTarget& target) {
  target_ = target;
  for (Bound& bound : bounds()) bound.limit = bound.prices.weight(target.cost, target.count);
}

bool CoverTree::beyond_bound(const Node& node) {
  // What is missing needs at least one more item.
  const std::int64_t cost = node.cost + rest_[node.depth].cheapest;
  if (cost > target_.cost + 1 || count() >= target_.count) return true;
  bool beyond = cost > target_.cost;
  for (const Bound& bound : bounds()) {
    const Weight least = bound.prices.weight(node.cost, count()) +
                         bound.prices.worth(node.missing) + bound.rest_gain[node.depth];
    if (least > bound.limit + bound.prices.per_cost) return true;
    beyond |= least > bound.limit;
  }
  may_have_tied_ |= beyond;
  return beyond;
}

bool CoverTree::visited_cheaper(const Node& node) {
  if (branches_.size() - node.depth < kTooFewToRemember) return false;
  Visit& visit = visits_[visit_slot(node.depth, node.missing)];
  const std::uint64_t stamp = stamp_ + node.depth;
  const bool counts = goal_ != CoverGoal::kLeastCost;
  if (visit.stamp == stamp && visit.missing == node.missing && visit.cost <= node.cost &&
      (!counts || visit.count <= count())) {
    merged_a_tie_ |= visit.cost == node.cost;
    may_have_tied_ |= merged_a_tie_;
    return true;
  }
  visit = {stamp, node.missing, node.cost, count()};
  return false;
}

}  // namespace cospot
