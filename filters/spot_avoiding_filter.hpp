#pragma once

#include "core/policy/filter.hpp"
#include "core/policy/plugin.hpp"

namespace cospot {

/// SAF: hosts on which the request fits next to all spots rank before every other host. The rest
/// follow, so a VM still gets a host, and evictions, when no host can take it without any.
///
/// Source: CoSpot, section 3 ("Spot Avoiding Filter").
class SpotAvoidingFilter final : public PerHostFilter<SpotAvoidingFilter> {
 public:
  static constexpr PluginInfo kInfo{
      .name = "SpotAvoiding",
      .summary = "Ranks hosts that need no eviction before all others (SAF).",
      .source = "CoSpot, section 3"};

  explicit SpotAvoidingFilter(const PluginOptions& options) { options.reject_unknown(); }

  [[nodiscard]] bool host_passes(HostRow host, const Request& request) const noexcept {
    return request.resources().fits_in(host.free(Sees::kVmsAndSpots));
  }

  [[nodiscard]] FilterMode mode() const override { return FilterMode::kPrefer; }
  [[nodiscard]] std::optional<Sees> needs_room_beside() const override {
    return Sees::kVmsAndSpots;
  }
};

}  // namespace cospot
