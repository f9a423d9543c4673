#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/resource_vector.hpp"

namespace cospot {

/// Exact arithmetic for bounds: a 63-bit cost with 48 bits behind the point, and room for sums.
__extension__ typedef __int128 Weight;

/// An item of the covering problem.
struct CoverItem {
  ResourceVector frees;  ///< no more than what is missing at first
  std::int64_t cost = 0;
  std::uint32_t position = 0;  ///< the caller's name for it
};

[[nodiscard]] constexpr bool identical(const CoverItem& a, const CoverItem& b) {
  return a.cost == b.cost && a.frees == b.frees;
}

/// The weights of a bound. Any prices >= 0 give a valid one; those of the linear relaxation give
/// the best for the root.
struct CoverPrices {
  Weight per_cost = 0;  ///< a set weighs per_cost * cost + per_item * (number of items)
  Weight per_item = 0;
  Weight per_vcpu = 0;  ///< and what it frees is worth this for each unit that was missing
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

/// A set is of interest when it is within both.
struct CoverTarget {
  std::int64_t cost = 0;
  std::int64_t count = 0;
};

/// A set of items that covers what is missing.
struct CoverSet {
  std::vector<CoverItem> items;  ///< in no particular order
  std::int64_t cost = 0;
};

/// What a search does once it has found a set within the target.
enum class CoverGoal : std::uint8_t { kLeastCost, kAnySet };

/// Depth-first branch and bound over the sets of items that cover what is missing.
///
/// A node has decided the first `depth` items. Three things cut it off:
/// - the items left do not cover what is missing;
/// - the bound: the weight taken, plus the worth of what is missing, plus the reduced weight of
///   each item left for which that is negative. A reduced weight is the item's weight minus the
///   worth of what it frees. Whatever the prices, no set below the node weighs less (the Lagrangian
///   relaxation of the cover constraints);
/// - memory: a node of the same depth that missed the same was here before and had spent no more.
///
/// Items are decided by |reduced weight|, largest first: those the prices are sure about come
/// first, so that branching happens among the few in doubt. Of identical items one is taken only
/// with all before it.
class CoverTree {
 public:
  static constexpr std::size_t kMostBounds = 3;
  static constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

  /// Takes over the items and puts them in order.
  void assign(std::span<const CoverItem> items, const CoverPrices& prices);

  /// Adds a bound by other prices, of kMostBounds in all, until the next assign().
  void add_bound(const CoverPrices& prices);

  /// Puts the items in the order that suits `prices`.
  void sort_branches(const CoverPrices& prices);

  /// Lets all searches until the next assign() look at `nodes` nodes more in all; when they are
  /// used up, a search ends with what it has. Without this they are unlimited.
  void limit_nodes(std::int64_t nodes) { nodes_left_ = nodes; }

  /// Drops an item; the order of the others stays.
  void remove(std::uint32_t position);

  /// Looks for a set that covers `missing` within `target` and, as `goal` says, for better ones.
  /// Writes the best to `best`; returns false, leaving `best` alone, when there is none.
  bool search(const ResourceVector& missing, const CoverTarget& target, CoverGoal goal,
              CoverSet& best);

  /// The least weight, by the first bound, of any set the last search could have found.
  [[nodiscard]] Weight root_bound(const ResourceVector& missing) const {
    return bounds_[0].prices.worth(missing) + bounds_[0].rest_gain[0];
  }

  /// After a search for the least cost: whether another set may cost as little as the best.
  [[nodiscard]] bool may_have_tied() const { return may_have_tied_; }

 private:
  struct Branch {
    CoverItem item;
    Weight reduced_weight = 0;
    std::uint32_t kind_end = 0;  ///< depth of the next item that is not identical
  };
  struct Bound {
    CoverPrices prices;
    std::vector<Weight> rest_gain;  ///< the negative reduced weights from a depth on, summed
    Weight limit = 0;               ///< no set within the target weighs more
  };
  /// The items from some depth on.
  struct Rest {
    ResourceVector frees;       ///< together, no more than what is missing at first
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
  void explore(Node node);
  void finish(const Node& node);
  void take(const Node& node);
  void accept(const Node& node);
  [[nodiscard]] bool beyond_bound(const Node& node);
  [[nodiscard]] bool visited_cheaper(const Node& node);
  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(taken_.size()); }

  std::array<Bound, kMostBounds> bounds_;
  std::size_t bound_count_ = 0;
  std::vector<Branch> branches_;
  std::vector<Rest> rest_;  ///< one for each depth, and one for the end
  std::vector<Visit> visits_;
  std::uint64_t stamp_ = 0;

  std::int64_t nodes_left_ = kUnlimited;
  CoverGoal goal_ = CoverGoal::kAnySet;
  CoverTarget target_;
  std::vector<std::uint32_t> taken_;  ///< the depths that took their item
  CoverSet* best_ = nullptr;
  bool found_ = false;
  bool may_have_tied_ = false;
  bool merged_a_tie_ = false;
};

}  // namespace cospot
