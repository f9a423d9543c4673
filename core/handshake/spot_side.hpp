#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/handshake/offer.hpp"
#include "core/handshake/ranked_evictions.hpp"
#include "core/model/host_table.hpp"
#include "core/model/priority_levels.hpp"
#include "core/policy/evictor.hpp"

namespace cospot {

/// The amounts that a host lacks for `request` to fit next to its VMs and spots.
[[nodiscard]] inline ResourceVector shortfall(const HostTable& hosts, HostIndex host,
                                              const Request& request) {
  return request.resources() - hosts.free(host, Sees::kVmsAndSpots);
}

/// Sees the steps of a handshake. Derive from it and hide what is of interest: calls are resolved
/// when compiled, so that a step which nobody watches costs nothing.
struct HandshakeObserver {
  /// True if the best plan of every offered host is computed, even if it cannot win.
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
/// Spots that are promised to live on, and instances of higher levels, come after the others
/// (RankedEvictions). Less of a higher rank evicted wins, whatever it costs of the lower ones.
class SpotSide {
 public:
  explicit SpotSide(const Evictor& evictor, const PriorityLevels& levels = {});

  void start(const Request& request);

  /// Considers the next offered host; `spots` are those on it, oldest placement first. Returns
  /// false when no later host can win, so that the offer need not be read on.
  ///
  /// Errors: PolicyError when the evictor's plan is wrong (RankedEvictions).
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
    const RankedPlan* to_beat = Observer::kSeesEveryPlan ? nullptr : &best_;
    const bool has_plan = evictions_.make_plan(eviction, to_beat, candidate_);
    observer.considered(host, spots, has_plan ? &candidate_.plan : nullptr);
    if (has_plan && candidate_.is_better_than(best_)) take(host);
    return true;
  }

  /// The best host so far and its plan, whose victims are positions in that host's spots. Its score
  /// is that of the victims of the lowest rank.
  [[nodiscard]] HostIndex host() const { return host_; }
  [[nodiscard]] const EvictionPlan& plan() const { return best_.plan; }

 private:
  void take(HostIndex host) {
    host_ = host;
    std::swap(best_, candidate_);
  }

  const Evictor* evictor_;
  RankedEvictions evictions_;
  Request request_;
  HostIndex host_ = kNoHost;
  RankedPlan best_;
  RankedPlan candidate_;
};

}  // namespace cospot
