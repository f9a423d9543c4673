#pragma once

#include <cstdint>

#include "core/ranking/keyed_weigher.hpp"

namespace cospot {

/// FewestSpots: the fewer spots run on a host, the better. The weight is minus their number, so
/// that 0 is best. As a VM policy it is spot-aware where UTIL, COS and DPD ignore spots; it looks
/// at no amount, so hosts with as many spots tie.
///
/// Source: Lopez Garcia et al., "An efficient cloud scheduler design supporting preemptible
/// instances" (FGCS 2019), the first of two scores, as CoSpot's section 5 compares itself with it.
class FewestSpotsWeigher final : public KeyedWeigher<FewestSpotsWeigher> {
 public:
  static constexpr bool kDistinctWeights = true;
  static constexpr PluginInfo kInfo{
      .name = "FewestSpots",
      .summary = "Hosts with the fewest spots first.",
      .source = "Lopez Garcia et al. 2019, compared in CoSpot, Fig. 4"};

  explicit FewestSpotsWeigher(const PluginOptions& options) { options.reject_unknown(); }

  [[nodiscard]] double weigh_host(HostRow host, const Request& /*request*/) const noexcept {
    return -static_cast<double>(host.num_spots());
  }
  [[nodiscard]] std::int32_t host_key(HostRow host) const noexcept { return -host.num_spots(); }
};

}  // namespace cospot
