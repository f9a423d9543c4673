#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/model/priority_levels.hpp"
#include "core/policy/evictor.hpp"

namespace cospot {

/// The victims on one host, and what they cost.
struct RankedPlan {
  EvictionPlan plan;  ///< its score is that of the victims of the lowest rank
  /// The scores of the ranks above the lowest, the highest first; their losses count before all
  /// below.
  std::vector<double> upper_scores{};

  /// Without victims.
  void reset(double score);
  [[nodiscard]] bool is_better_than(const RankedPlan& other) const {
    if (upper_scores != other.upper_scores) return upper_scores < other.upper_scores;
    return plan.score < other.plan.score;
  }
};

/// An evictor's plan among instances of several ranks: those of higher priority levels, and in each
/// level those that are promised to live on, come after the others.
///
/// Each rank is planned by itself: an instance is only evicted where all those of lower ranks
/// together do not suffice; then the ranks above get by with what the lower ones leave missing, and
/// the lower ones free no more than is missing then. So of all ways to free enough this takes the
/// least of the highest rank, by the evictor's own measure, then the least of the next.
class RankedEvictions {
 public:
  /// `evictor` outlives it.
  explicit RankedEvictions(const Evictor& evictor, const PriorityLevels& levels = {});

  /// A plan as they are made here, and as they are compared.
  [[nodiscard]] RankedPlan no_plan() const;

  /// Writes the plan of a case that is short of something; `best` is the one to beat, nullptr: none
  /// is. Returns false when not enough can be freed, or when it can tell that `best` is no worse.
  ///
  /// Errors: PolicyError when the evictor's plan does not free enough, names a victim that is not
  /// there, twice or out of order, or has no finite score. So whoever acts on a plan need not check
  /// it.
  [[nodiscard]] bool make_plan(const EvictionCase& eviction, const RankedPlan* best,
                               RankedPlan& plan);

 private:
  /// The instances of one rank on a host.
  struct OfRank {
    std::vector<RunningSpot> instances{};
    std::vector<std::uint32_t> positions{};
    ResourceVector sum{};
  };

  /// The evictor's own plan, checked.
  [[nodiscard]] bool ask(const EvictionCase& eviction, double score_limit,
                         EvictionPlan& plan) const;
  [[nodiscard]] bool plan_by_ranks(const EvictionCase& eviction, RankedPlan& plan);
  void sort_by_rank(const EvictionCase& eviction);

  const Evictor* evictor_;
  PriorityLevels levels_;
  std::vector<OfRank> of_rank_;  // scratch
  EvictionPlan part_;            // scratch
};

}  // namespace cospot
