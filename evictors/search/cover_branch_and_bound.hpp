#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/model/resource_vector.hpp"
#include "evictors/search/cover_dominance.hpp"
#include "evictors/search/cover_item.hpp"
#include "evictors/search/cover_tail.hpp"

namespace cospot {

/// Exact arithmetic for bounds: a 63-bit cost with 48 fractional bits, and headroom for sums.
__extension__ typedef __int128 Weight;

/// The prices of a bound. Any prices >= 0 give a valid bound; the duals of the linear relaxation
/// give the best one at the root.
struct CoverPrices {
  Weight per_cost = 0;  ///< a set weighs per_cost * cost + per_item * (number of items)
  Weight per_item = 0;
  Weight per_vcpu = 0;  ///< credit for each unit freed of what was missing
  Weight per_memory_mb = 0;
  Weight per_disk_gb = 0;

  [[nodiscard]] Weight weight(std::int64_t cost, std::int64_t count) const {
    return per_cost * cost + per_item * count;
  }
  [[nodiscard]] Weight worth(const ResourceVector& amounts) const {
    return per_vcpu * amounts.vcpus + per_memory_mb * amounts.memory_mb +
           per_disk_gb * amounts.disk_gb;
  }
  [[nodiscard]] Weight reduced_weight(const CoverItem& item) const {
    return weight(item.cost, 1) - worth(item.frees);
  }
};

/// A resource: its amount and its price.
struct CoverKey {
  ResourceAmount ResourceVector::*amount;
  Weight CoverPrices::*price;
};

/// Limits on cost and number of items; a set must meet both.
struct CoverTarget {
  std::int64_t cost = 0;
  std::int64_t count = 0;
};

/// A set of items that covers what is missing.
struct CoverSet {
  std::vector<CoverItem> items;  ///< in no particular order
  std::int64_t cost = 0;
};

/// The action of a search after it has found a set within the target.
enum class CoverGoal : std::uint8_t { kLeastCost, kAnySet };

/// Depth-first branch and bound over the sets of items that cover a shortfall.
///
/// A node has decided the first `depth` items. Three tests prune it:
/// - the remaining items do not cover what is missing;
/// - the bound: the weight taken, plus the price of what is missing, plus the negative reduced
///   weights of the remaining items. A reduced weight is the item's weight minus the price of what
///   it frees. At any prices >= 0 no set below the node weighs less (the Lagrangian relaxation of
///   the cover constraints);
/// - memory: an earlier node of the same depth missed the same and had spent no more.
///
/// A long search uses two more:
/// - dominance: an item that another one dominates is taken only with that one;
/// - tails: the best way to finish with the last items is looked up in a list of all their sets.
///
/// Memory and dominance do not prune each other's replacement. Both replace a set by one that is no
/// worse and that the search meets earlier, because it first tries what the prices favour. (They
/// favour an item with a negative reduced weight, and a dominating item's is no larger.) So neither
/// prunes the optimal set that the search would meet first.
///
/// Items are decided in descending order of |reduced weight|: the clear cases first, so that
/// branching happens among the few in doubt. Of identical items, one is taken only with all before
/// it.
class CoverBranchAndBound {
 public:
  static constexpr std::size_t kMostBounds = 3;
  static constexpr std::size_t kMostTails = 5;
  static constexpr std::int64_t kMostNodes = 4'000'000;

  /// Takes over the items and sorts them.
  void assign(std::span<const CoverItem> items, const CoverPrices& prices);

  /// Adds a bound at other prices, up to kMostBounds in all, until the next assign().
  void add_bound(const CoverPrices& prices);

  /// Lets the most recently added bound guide the search instead of the first.
  void branch_by_last_bound();

  /// Limits all searches until the next assign() to `nodes` more nodes together; after that a
  /// search returns its best set so far. The default is kMostNodes.
  void limit_nodes(std::int64_t nodes) { nodes_left_ = nodes; }

  /// Drops an item and keeps the order of the others.
  void remove(std::uint32_t position);

  /// Searches for a set that covers `missing` within `target` and, depending on `goal`, for better
  /// ones. Writes the best to `best`; returns false, leaving `best` alone, when there is none.
  bool search(const ResourceVector& missing, const CoverTarget& target, CoverGoal goal,
              CoverSet& best);

  /// The least weight, by the first bound, of all sets in the last search.
  [[nodiscard]] Weight root_bound(const ResourceVector& missing) const {
    return bounds_[0].prices.worth(missing) + bounds_[0].rest_gain[0];
  }

  /// After a search for the least cost: whether another set may cost the same as the best.
  [[nodiscard]] bool may_have_tied() const { return may_have_tied_; }

 private:
  struct Branch {
    CoverItem item;
    Weight reduced_weight = 0;
    std::uint32_t kind_end = 0;  ///< depth of the next item that is not identical
  };
  struct Bound {
    CoverPrices prices;
    std::vector<Weight> rest_gain;  ///< sum of the negative reduced weights from a depth on
    Weight limit = 0;               ///< no set within the target weighs more
  };
  /// The items from a depth on.
  struct Rest {
    ResourceVector frees;       ///< together, capped at what is missing at first
    std::int64_t cheapest = 0;  ///< cost of the cheapest
  };
  struct Visit {
    std::uint64_t stamp = 0;  ///< tells searches and depths apart
    ResourceVector missing;
    std::int64_t cost = 0;
    std::int64_t count = 0;
  };
  struct Node {
    std::uint32_t depth = 0;
    ResourceVector missing;
    std::int64_t cost = 0;
  };

  [[nodiscard]] std::span<Bound> bounds() { return {bounds_.data(), bound_count_}; }
  void set_target(const CoverTarget& target);
  void prepare(const ResourceVector& missing);
  void explore(const Node& node);
  void branch(const Node& node);
  void take(const Node& node);
  void skip(const Node& node);
  void finish(const Node& node);
  void look_up(const Node& node, const CoverTail& tail);
  void strengthen();
  [[nodiscard]] const CoverKey* dearest_resource() const;
  void accept(const Node& node);
  [[nodiscard]] Weight least_weight(const Bound& bound, const Node& node) const;
  [[nodiscard]] bool beyond_bound(const Node& node);
  [[nodiscard]] bool visited_cheaper(const Node& node);
  [[nodiscard]] bool done() const { return found_ && goal_ == CoverGoal::kAnySet; }
  [[nodiscard]] std::span<const CoverTail> tails() const { return {tails_.data(), tail_count_}; }
  void flip_deviation(std::uint32_t depth) {
    deviations_[depth / CoverDominance::kWordBits] ^= CoverDominance::Word{1}
                                                      << (depth % CoverDominance::kWordBits);
  }
  void note_merged(bool may_tie) {
    merged_a_tie_ |= may_tie;
    may_have_tied_ |= merged_a_tie_;
  }
  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(taken_.size()); }

  std::array<Bound, kMostBounds> bounds_;
  std::size_t bound_count_ = 0;
  std::size_t guide_ = 0;
  std::vector<Branch> branches_;
  std::vector<Rest> rest_;  ///< one for each depth, and one for the end
  std::vector<Visit> visits_;
  std::uint64_t stamp_ = 0;

  // Used only by searches that take long.
  std::int64_t nodes_ = 0;  ///< visited by this search
  std::int64_t strengthen_at_ = 0;
  std::size_t tail_size_ = 0;
  ResourceVector at_first_;         ///< what was missing at first
  std::vector<CoverItem> ordered_;  ///< the items of branches_
  CoverDominance dominance_;
  /// Each longer than the one before; a path may have passed the last.
  std::array<CoverTail, kMostTails> tails_;
  std::size_t tail_count_ = 0;
  const CoverKey* key_ = nullptr;  ///< the sort key of the tails
  /// Bit i: the decision on item i goes against the prices.
  std::vector<CoverDominance::Word> deviations_;

  std::int64_t nodes_left_ = kMostNodes;
  CoverGoal goal_ = CoverGoal::kAnySet;
  CoverTarget target_;
  std::vector<std::uint32_t> taken_;  ///< the depths that took their item
  CoverSet* best_ = nullptr;
  bool found_ = false;
  bool may_have_tied_ = false;
  bool merged_a_tie_ = false;
};

}  // namespace cospot
