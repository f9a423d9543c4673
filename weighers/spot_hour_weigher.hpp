#pragma once

#include <chrono>

#include "core/model/spot_lists.hpp"
#include "core/policy/plugin.hpp"
#include "core/policy/weigher.hpp"

namespace cospot {

/// SpotHour: the less time the spots of a host have run beyond their last full hour, summed over
/// them, the better. Where customers pay by the hour, what an evicted spot has run in its
/// unfinished hour is not paid. The weight is minus the sum of (now - placed) mod 1 h, in whole
/// microseconds: 0 is best, -3.6e9 per spot the limit. Exact up to 2.5 million spots on a host.
///
/// A spot placed this very moment adds 0, and one placed exactly an hour ago too. Hosts whose table
/// does not know when its spots were placed (HostTable::lend_spots) all weigh 0.
///
/// Source: Lopez Garcia et al., "An efficient cloud scheduler design supporting preemptible
/// instances" (FGCS 2019), the second of two scores, as CoSpot's section 5 compares itself with it.
class SpotHourWeigher final : public PerHostWeigher<SpotHourWeigher> {
 public:
  static constexpr PluginInfo kInfo{
      .name = "SpotHour",
      .summary = "Least run time of the spots modulo one hour first.",
      .source = "Lopez Garcia et al. 2019, compared in CoSpot, Fig. 4"};

  explicit SpotHourWeigher(const PluginOptions& options) { options.reject_unknown(); }

  [[nodiscard]] double weigh_host(HostRow host, const Request& request) const noexcept {
    SimTime sum{0};
    for (const RunningSpot& spot : host.spots()) sum += (request.time - spot.placed_at) % kHour;
    return -static_cast<double>(sum.count());
  }

 private:
  static constexpr SimTime kHour = std::chrono::hours(1);
};

}  // namespace cospot
