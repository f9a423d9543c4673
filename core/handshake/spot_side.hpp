#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/handshake/offer.hpp"
#include "core/model/host_table.hpp"
#include "core/model/priority_levels.hpp"
#include "core/policy/evictor.hpp"

namespace cospot {

/// What is still missing on a host before `request` fits beside its VMs and spots.
[[nodiscard]] inline ResourceVector shortfall(const HostTable& hosts, HostIndex host,
                                              const Request& request) {
  return request.resources() - hosts.free(host, Sees::kVmsAndSpots);
}

/// Sees the steps of a handshake. Derive from it and hide what is of interest: calls are resolved
/// when compiled, so that a step which nobody watches costs nothing.
struct HandshakeObserver {
  /// Whether every offered host's best plan is asked for, also where it cannot win.
  static constexpr bool kSeesEveryPlan = false;

  /// The whole offer, before the spot side has answered.
  void offered(const Offer& /*offer*/) const {}
  /// No host near the top of the ranking fits without evictions: offered hosts are looked at one by
  /// one.
  void walks() const {}
  /// The plan for an offered host, whose victims are positions in `spots`; nullptr: not enough can
  /// be freed there, or (unless kSeesEveryPlan) it does not win.
  void considered(HostIndex /*host*/, std::span<const RunningSpot> /*spots*/,
                  const EvictionPlan* /*plan*/) const {}
};

/// The spot side: looks at offered hosts one by one, the best-ranked first, and keeps the one whose
/// evictions score least; ties go to the better rank.
///
/// With several levels below the one that asks, each is planned by itself: an instance is only
/// evicted where all those of lower levels together do not suffice; then the levels above get by
/// with what the lower ones leave missing, and the lower ones free no more than is missing then.
/// Less of a higher level evicted wins, whatever it costs of the lower ones.
class SpotSide {
 public:
  explicit SpotSide(const Evictor& evictor, const PriorityLevels& levels = {});

  void start(const Request& request);

  /// Considers the next offered host; `spots` are those on it, oldest placement first. Returns
  /// false when no later host can win, so that the offer need not be read on.
  ///
  /// Errors: PolicyError when the evictor's plan does not free enough.
  template <class Observer>
  bool consider(const HostTable& hosts, HostIndex host, std::span<const RunningSpot> spots,
                Observer& observer) {
    const EvictionCase eviction{
        .spots = spots, .shortfall = shortfall(hosts, host, request_), .now = request_.time};
    if (eviction.shortfall.fits_in(ResourceVector{})) {
      candidate_.reset(0);
      observer.considered(host, spots, &candidate_.plan);
      if (candidate_.is_better_than(best_)) take(host);
      return !evictor_->victims_have_positive_cost();
    }
    const bool has_plan = make_plan(eviction, Observer::kSeesEveryPlan);
    observer.considered(host, spots, has_plan ? &candidate_.plan : nullptr);
    if (has_plan && candidate_.is_better_than(best_)) {
      check_sufficient(eviction, candidate_.plan);
      take(host);
    }
    return true;
  }

  /// The best host so far and its plan, whose victims are positions in that host's spots. Its score
  /// is that of the victims of the lowest level.
  [[nodiscard]] HostIndex host() const { return host_; }
  [[nodiscard]] const EvictionPlan& plan() const { return best_.plan; }

 private:
  struct LevelPlan {
    EvictionPlan plan;
    std::vector<double> upper_scores{};  // of the levels above the lowest, the highest first

    /// Without victims.
    void reset(double score);
    [[nodiscard]] bool is_better_than(const LevelPlan& other) const {
      if (!upper_scores.empty() && upper_scores != other.upper_scores) {
        return upper_scores < other.upper_scores;
      }
      return plan.score < other.plan.score;
    }
  };
  /// The instances of one level on a host.
  struct OfLevel {
    std::vector<RunningSpot> instances{};
    std::vector<std::uint32_t> positions{};
    ResourceVector sum{};
  };

  /// Makes the candidate; false: not enough can be freed, or it does not win.
  [[nodiscard]] bool make_plan(const EvictionCase& eviction, bool even_if_it_loses) {
    if (!levels_.are_classes()) return plan_by_levels(eviction);
    const double limit = even_if_it_loses ? kNoScoreLimit : best_.plan.score;
    return evictor_->make_plan(eviction, limit, candidate_.plan);
  }
  [[nodiscard]] bool plan_by_levels(const EvictionCase& eviction);
  void sort_by_level(std::span<const RunningSpot> instances);

  /// Re-checks a plan before anyone acts on it: a short plan would overcommit the host.
  static void check_sufficient(const EvictionCase& eviction, const EvictionPlan& plan);

  void take(HostIndex host) {
    host_ = host;
    std::swap(best_, candidate_);
  }

  const Evictor* evictor_;
  PriorityLevels levels_;
  Request request_;
  HostIndex host_ = kNoHost;
  LevelPlan best_;
  LevelPlan candidate_;
  std::vector<OfLevel> of_level_;  // scratch
  EvictionPlan part_;              // scratch
};

}  // namespace cospot
