#pragma once

#include <cstdint>

#include "core/ranking/keyed_weigher.hpp"

namespace cospot {

/// FirstFit: every host weighs the same, so ties put the lowest host index first.
///
/// Source: Pucher et al., Providing Lifetime SLAs for Cloud Spot Instances (placement in host
/// order); the classic any-fit baseline.
class FirstFitWeigher final : public KeyedWeigher<FirstFitWeigher> {
 public:
  static constexpr Sees kSees = Sees::kVms;  // no amount is looked at
  static constexpr bool kDistinctWeights = true;
  static constexpr PluginInfo kInfo{.name = "FirstFit",
                                    .summary = "The first host with room, in host order.",
                                    .source = "Pucher et al., placement"};

  explicit FirstFitWeigher(const PluginOptions& options) { options.reject_unknown(); }

  [[nodiscard]] double weigh_host(HostRow /*host*/, const Request& /*request*/) const noexcept {
    return 0;
  }
  [[nodiscard]] std::int32_t host_key(HostRow /*host*/) const noexcept { return 0; }
};

}  // namespace cospot
