#include "evictors/search/eviction_search.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "evictors/search/cover_branch_and_bound.hpp"
#include "evictors/search/cover_relaxation.hpp"

namespace cospot {
namespace {

constexpr ResourceVector kNothing{};
/// So few are searched sooner than priced: the cost taken is bound enough.
constexpr std::size_t kFewCandidates = 10;
/// Ties among more candidates than this get a limited number of nodes.
constexpr std::size_t kAlwaysSettled = 16;
/// A quarter of a millisecond or so. The least cost itself gets CoverBranchAndBound::kMostNodes.
constexpr std::int64_t kTieNodes = 5'000;
constexpr double kMicrosecondsPerSecond = 1e6;
constexpr double kRoundUp = 1 + 1e-15;  // covers the rounding of a division and a product

ResourceVector positive_part(const ResourceVector& amounts) {
  return {std::max(0, amounts.vcpus), std::max(0, amounts.memory_mb), std::max(0, amounts.disk_gb)};
}

ResourceVector smaller(const ResourceVector& a, const ResourceVector& b) {
  return {std::min(a.vcpus, b.vcpus), std::min(a.memory_mb, b.memory_mb),
          std::min(a.disk_gb, b.disk_gb)};
}

ResourceAmount in_units(ResourceAmount amount, ResourceAmount unit) {
  return unit == 0 ? 0 : amount / unit + (amount % unit != 0 ? 1 : 0);
}

ResourceVector in_units(const ResourceVector& amounts, const ResourceVector& unit) {
  return {in_units(amounts.vcpus, unit.vcpus), in_units(amounts.memory_mb, unit.memory_mb),
          in_units(amounts.disk_gb, unit.disk_gb)};
}

double share(ResourceAmount amount, ResourceAmount missing) {
  return missing == 0 ? 0 : static_cast<double>(amount) / missing;
}

/// A bound is reckoned in units of 2^-48 of a cost unit: fine enough for the price of one unit of a
/// resource. Bounds on counts have 11 bits before the point and get more behind it, because the
/// price of a cost unit may be that of one item for a cost of 63 bits.
constexpr Weight kCostWeight = Weight{1} << 48;
constexpr Weight kItemWeight = Weight{1} << 100;
/// Prices above it, in items for all that is missing or for the whole cost limit, come from a basis
/// that is all but singular: they tell nothing, and their products would not fit a Weight.
constexpr double kLargestPrice = 1 << 20;

/// The price of one unit, when the price of all that is missing is `whole`.
Weight unit_price(double whole, ResourceAmount missing, Weight scale) {
  return missing == 0 ? 0 : static_cast<Weight>(whole / missing * static_cast<double>(scale));
}

/// One search. Its buffers live as long as their thread, so that a search need not allocate.
class EvictionSearch {
 public:
  std::optional<std::int64_t> run(std::span<const EvictionItem> items,
                                  const ResourceVector& shortfall, std::int64_t cost_limit,
                                  std::vector<std::uint32_t>& victims);

 private:
  void find_single(std::span<const EvictionItem> items);
  void collect_candidates(std::span<const EvictionItem> items);
  [[nodiscard]] bool candidates_may_win() const;
  void reduce_to_units();
  [[nodiscard]] CoverPrices prices(const CoverRelaxation::Rows& rows, Weight scale) const;
  void refine(CoverPrices& found) const;
  [[nodiscard]] ResourceVector unpriced(const CoverPrices& found) const;
  CoverPrices price_costs(const ResourceVector& missing);
  void prepare_tree();
  bool search_cost();
  void settle_ties();
  void settle_count(const CoverPrices& found);
  void settle_positions();

  ResourceVector missing_;
  std::int64_t cost_limit_ = 0;  ///< only sets that cost less are of interest
  std::optional<std::uint32_t> single_;
  std::vector<CoverItem> candidates_;
  std::int64_t cost_unit_ = 1;
  CoverRelaxation relaxation_;
  CoverBranchAndBound tree_;
  CoverSet best_;
  CoverSet other_;
  std::vector<CoverItem> rest_;     ///< of the best set known: the items not settled yet
  std::vector<CoverItem> refuted_;  ///< in no best set, given those settled
};

std::optional<std::int64_t> EvictionSearch::run(std::span<const EvictionItem> items,
                                                const ResourceVector& shortfall,
                                                std::int64_t cost_limit,
                                                std::vector<std::uint32_t>& victims) {
  victims.clear();
  missing_ = positive_part(shortfall);
  cost_limit_ = cost_limit;
  if (missing_ == kNothing) return cost_limit > 0 ? std::optional<std::int64_t>(0) : std::nullopt;
  find_single(items);
  collect_candidates(items);
  if (candidates_may_win() && search_cost()) {
    for (const CoverItem& item : best_.items) victims.push_back(item.position);
    std::sort(victims.begin(), victims.end());
    return best_.cost * cost_unit_;
  }
  if (!single_) return std::nullopt;
  victims.push_back(*single_);
  return cost_limit_;
}

/// The cheapest, then oldest item that suffices alone; its cost becomes the limit. A set of several
/// that costs the same has more victims, so it loses.
void EvictionSearch::find_single(std::span<const EvictionItem> items) {
  single_.reset();
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    if (items[i].cost >= cost_limit_ || !missing_.fits_in(items[i].frees)) continue;
    single_ = i;
    cost_limit_ = items[i].cost;
  }
}

/// Keeps the items that a set of two or more under the limit may contain.
void EvictionSearch::collect_candidates(std::span<const EvictionItem> items) {
  candidates_.clear();
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    if (items[i].cost >= cost_limit_) continue;
    const ResourceVector useful = smaller(positive_part(items[i].frees), missing_);
    if (useful == kNothing) continue;
    candidates_.push_back({.frees = items[i].frees, .cost = items[i].cost, .position = i});
  }
}

bool EvictionSearch::candidates_may_win() const {
  std::array<std::int64_t, 3> freed{};
  std::int64_t cheapest = kNoCostLimit;
  std::int64_t second = kNoCostLimit;
  for (const CoverItem& item : candidates_) {
    freed[0] += item.frees.vcpus;
    freed[1] += item.frees.memory_mb;
    freed[2] += item.frees.disk_gb;
    second = std::min(second, std::max(cheapest, item.cost));
    cheapest = std::min(cheapest, item.cost);
  }
  return freed[0] >= missing_.vcpus && freed[1] >= missing_.memory_mb &&
         freed[2] >= missing_.disk_gb && second < cost_limit_ - cheapest;
}

/// Divides amounts and costs by their greatest common divisors. Rounding what is missing up to
/// whole units sharpens the bound: of spots of 200, 400 and 800 it takes 800 to free 700.
void EvictionSearch::reduce_to_units() {
  ResourceVector unit;
  cost_unit_ = 0;
  for (const CoverItem& item : candidates_) {
    unit = {std::gcd(unit.vcpus, item.frees.vcpus), std::gcd(unit.memory_mb, item.frees.memory_mb),
            std::gcd(unit.disk_gb, item.frees.disk_gb)};
    cost_unit_ = std::gcd(cost_unit_, item.cost);
  }
  missing_ = in_units(missing_, unit);
  for (CoverItem& item : candidates_) {
    item.frees = smaller(in_units(item.frees, unit), missing_);
    item.cost /= cost_unit_;
  }
}

CoverPrices EvictionSearch::prices(const CoverRelaxation::Rows& rows, Weight scale) const {
  return {.per_vcpu = unit_price(rows[0], missing_.vcpus, scale),
          .per_memory_mb = unit_price(rows[1], missing_.memory_mb, scale),
          .per_disk_gb = unit_price(rows[2], missing_.disk_gb, scale)};
}

/// The prices at which covering `missing`, some or all of missing_, is worth the most without any
/// item being taken at a loss (the dual of the linear relaxation).
CoverPrices EvictionSearch::price_costs(const ResourceVector& missing) {
  relaxation_.clear();
  if (missing.vcpus > 0) relaxation_.require(0);
  if (missing.memory_mb > 0) relaxation_.require(1);
  if (missing.disk_gb > 0) relaxation_.require(2);
  for (const CoverItem& item : candidates_) {
    relaxation_.add(static_cast<double>(item.cost), {share(item.frees.vcpus, missing.vcpus),
                                                     share(item.frees.memory_mb, missing.memory_mb),
                                                     share(item.frees.disk_gb, missing.disk_gb)});
  }
  CoverPrices found = prices(relaxation_.price_costs(), kCostWeight);
  found.per_cost = kCostWeight;
  refine(found);
  return found;
}

/// Doubles know costs to 53 bits, the search to the last one: where many sets cost nearly the same,
/// a bound that is off by a millionth of a vcpu-second would let them all pass.
void EvictionSearch::refine(CoverPrices& found) const {
  CoverRelaxation::Rows error{};
  const auto basis = relaxation_.basic_items();
  for (std::size_t row = 0; row < basis.size(); ++row) {
    if (basis[row] == CoverRelaxation::kNoItem) continue;
    error[row] = static_cast<double>(found.reduced_weight(candidates_[basis[row]]));
  }
  const CoverPrices change = prices(relaxation_.correction(error), 1);
  found.per_vcpu = std::max<Weight>(0, found.per_vcpu + change.per_vcpu);
  found.per_memory_mb = std::max<Weight>(0, found.per_memory_mb + change.per_memory_mb);
  found.per_disk_gb = std::max<Weight>(0, found.per_disk_gb + change.per_disk_gb);
}

/// The shortfall for which the prices pay next to nothing. It is covered on the way if items may be
/// taken in part; among whole items it may be the scarce one.
ResourceVector EvictionSearch::unpriced(const CoverPrices& found) const {
  const Weight little = found.worth(missing_) / 1'000'000;
  return {found.per_vcpu * missing_.vcpus > little ? 0 : missing_.vcpus,
          found.per_memory_mb * missing_.memory_mb > little ? 0 : missing_.memory_mb,
          found.per_disk_gb * missing_.disk_gb > little ? 0 : missing_.disk_gb};
}

/// Gives the tree its items and the prices of its bounds.
void EvictionSearch::prepare_tree() {
  if (candidates_.size() <= kFewCandidates) {
    tree_.assign(candidates_, {.per_cost = kCostWeight});
    return;
  }
  const CoverPrices first = price_costs(missing_);
  tree_.assign(candidates_, first);
  const ResourceVector others = unpriced(first);
  if (others != kNothing) tree_.add_bound(price_costs(others));
}

bool EvictionSearch::search_cost() {
  reduce_to_units();
  prepare_tree();
  const CoverTarget target{.cost = (cost_limit_ - 1) / cost_unit_,
                           .count = static_cast<std::int64_t>(candidates_.size())};
  if (!tree_.search(missing_, target, CoverGoal::kLeastCost, best_)) return false;
  if (tree_.may_have_tied()) settle_ties();
  return true;
}

/// Finds the set that the tie rule prefers among those as cheap as the best.
void EvictionSearch::settle_ties() {
  const auto limit = static_cast<double>(best_.cost);
  (void)price_costs(missing_);
  CoverRelaxation::Rows rows = relaxation_.price_counts(limit);
  const auto is_sound = [](double price) { return price <= kLargestPrice; };
  // Without prices the bound only counts.
  if (!std::ranges::all_of(rows, is_sound)) rows = {};
  CoverPrices bound = prices(rows, kItemWeight);
  bound.per_cost = static_cast<Weight>(rows[3] / limit * static_cast<double>(kItemWeight));
  bound.per_item = kItemWeight;
  // Prices that leave no gap below the best cost are indifferent between many sets.
  const bool indifferent = tree_.root_bound(missing_) > kCostWeight * (best_.cost - 1);
  tree_.add_bound(bound);
  if (indifferent) tree_.branch_by_last_bound();
  if (candidates_.size() > kAlwaysSettled) tree_.limit_nodes(kTieNodes);
  settle_count(bound);
  settle_positions();
}

/// Halves the interval between the fewest items that the prices allow and the best known: a loose
/// target is soon met, and a tight one cuts off most nodes.
void EvictionSearch::settle_count(const CoverPrices& found) {
  Weight bound = found.worth(missing_) - found.weight(best_.cost, 0);
  for (const CoverItem& item : candidates_) {
    bound += std::min<Weight>(0, found.reduced_weight(item));
  }
  // Two at least, for every item that suffices alone costs more.
  std::size_t least = bound > 0 ? static_cast<std::size_t>(bound / kItemWeight) : 0;
  least = std::clamp<std::size_t>(least, 2, best_.items.size());
  while (least < best_.items.size()) {
    const std::size_t middle = (least + best_.items.size()) / 2;
    const CoverTarget target{.cost = best_.cost, .count = static_cast<std::int64_t>(middle)};
    if (!tree_.search(missing_, target, CoverGoal::kAnySet, best_)) least = middle + 1;
  }
}

/// Decides the items one by one, oldest first: one that some best set contains, together with all
/// taken before it, is taken.
void EvictionSearch::settle_positions() {
  ResourceVector missing = missing_;
  CoverTarget left{.cost = best_.cost, .count = static_cast<std::int64_t>(best_.items.size())};
  rest_ = best_.items;
  best_.items.clear();
  refuted_.clear();
  for (const CoverItem& item : candidates_) {
    if (rest_.empty()) break;
    tree_.remove(item.position);
    const auto same = [&item](const CoverItem& other) { return identical(item, other); };
    if (std::any_of(refuted_.begin(), refuted_.end(), same)) continue;
    const ResourceVector after = positive_part(missing - item.frees);
    const CoverTarget target{.cost = left.cost - item.cost, .count = left.count - 1};
    const auto replaceable = std::find_if(rest_.begin(), rest_.end(), same);
    if (replaceable != rest_.end()) {
      rest_.erase(replaceable);
    } else if (target.cost >= 0 && tree_.search(after, target, CoverGoal::kAnySet, other_)) {
      rest_ = other_.items;
    } else {
      refuted_.push_back(item);
      continue;
    }
    best_.items.push_back(item);
    missing = after;
    left = target;
  }
}

}  // namespace

std::optional<std::int64_t> find_cheapest_eviction(std::span<const EvictionItem> items,
                                                   const ResourceVector& shortfall,
                                                   std::int64_t cost_limit,
                                                   std::vector<std::uint32_t>& victims) {
  thread_local EvictionSearch search;
  return search.run(items, shortfall, cost_limit, victims);
}

std::int64_t revenue_lost(ResourceAmount vcpus, SimTime remaining_life, std::size_t spots) {
  // Two more than there are: the search may add a cost to a sum before it looks.
  const std::int64_t most = kNoCostLimit / (static_cast<std::int64_t>(spots) + 2);
  const std::int64_t microseconds = std::max<std::int64_t>(1, remaining_life.count());
  if (vcpus > most / microseconds) return most;
  return std::max<std::int64_t>(1, vcpus * microseconds);
}

bool plan_least_revenue_lost(std::span<const EvictionItem> items, const ResourceVector& shortfall,
                             double score_limit, EvictionPlan& plan) {
  // Rounded up, so that no set is lost whose score is below the limit; decided exactly at the end.
  const double cost_limit = score_limit * kMicrosecondsPerSecond * kRoundUp + 1;
  const bool limited = cost_limit < static_cast<double>(kNoCostLimit);
  const std::optional<std::int64_t> cost = find_cheapest_eviction(
      items, shortfall,
      limited ? static_cast<std::int64_t>(std::max(0.0, cost_limit)) : kNoCostLimit, plan.victims);
  if (!cost) return false;
  plan.score = static_cast<double>(*cost) / kMicrosecondsPerSecond;
  return plan.score < score_limit;
}

}  // namespace cospot
